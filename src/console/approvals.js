// SPDX-License-Identifier: GPL-2.0-or-later
// The messages that go out only after a yes, for who may say it: clients with the scope
// admin. The gateway refuses it to all others, whatever a page shows.

const DECIDING = 'One moment.';

class ApprovalsView {
	#phone;
	// By message_id. As long as this is seen nothing moves: a second press of a button must
	// not meet the next card, so what waits no more keeps its place.
	#rows = new Map();
	#cards; #empty; #more;

	constructor(phone) {
		this.#phone = phone;
		this.#cards = make('ul.cards');
		this.#empty = make('p.empty');
		this.#more = make('p.note');
		this.element = make('section.pane', { 'aria-label': 'Approvals' },
			this.#cards, this.#more, this.#empty);
	}

	show() {
		const { approvals, moreApprovals } = this.#phone;
		if (!this.element.isConnected)
			this.#rows.clear();
		approvals.forEach((row) => this.#rows.set(row.message_id, row));
		keep(this.#cards, [...this.#rows.values()], (row) => row.message_id, (row) =>
			this.#create(row));
		setText(this.#more, moreApprovals ? `${moreApprovals} more wait behind these.` : '');
		setText(this.#empty, approvals.length ? '' : this.#phone.may('admin')
			? 'Nothing waits for your yes.'
			: 'The owner decides, with "ofono-mcp approve" or on a page that was paired ' +
				'with the scope admin. This one was not.');
	}

	#create(row) {
		const id = row.message_id;
		const reason = make('input', { id: `reason-${id}`, maxlength: 200,
			placeholder: 'Why not (optional)', autocomplete: 'off' });
		const said = make('p.warn', { role: 'alert' });
		const facts = make('dl', { id: `facts-${id}` },
			make('dt', 'To'), make('dd', foreign(row.to_phone_number)),
			make('dt', 'From'), make('dd',
				foreign(row.sim ?? `SIM ${row.subscription_id}, not there now`)),
			row.send_at && [make('dt', 'At'), make('dd', time.full(row.send_at))]);
		const decide = async (approve) => {
			setText(said, DECIDING);
			card.fill();
			setText(said, await this.#decide(id, approve, reason.value));
			this.#phone.read();
		};
		const buttons = make('div.decision',
			make('label.hidden', { for: reason.id }, 'Why not'), reason,
			make('button.danger', { onclick: () => decide(false), 'aria-describedby': facts.id },
				'No'),
			make('button.primary', { onclick: () => decide(true), 'aria-describedby': facts.id },
				'Yes, send it'));
		const card = make('li.card', { 'aria-labelledby': `approval-${id}` },
			make('h2', { id: `approval-${id}` }, foreign(row.client || 'An agent'),
				` wants to send ${row.segments} SMS`),
			facts,
			make('blockquote', { dir: 'auto' }, row.text),
			make('p.note', `Asked ${time.full(row.asked_at)}. Without a yes it ` +
				`expires ${time.full(row.until)}.`),
			row.own ? make('p.note', 'This page asked for it itself, so ' +
				'somebody else has to decide.') : buttons, said);
		card.fill = () => {
			const waits = this.#phone.approvals.some((one) => one.message_id === id);
			if (!waits && !said.textContent)
				setText(said, 'Somebody else has decided, or its time is over.');
			buttons.querySelectorAll('button').forEach((button) => {
				button.disabled = !waits || said.textContent === DECIDING;
			});
		};
		return card;
	}

	// What became of it, in words.
	async #decide(id, approve, reason) {
		try {
			await this.#phone.call('decide_approval', { message_id: id, approve,
				...(!approve && reason ? { reason } : {}) });
			return approve ? 'You said yes.' : 'You said no.';
		} catch (error) {
			return error.message;
		}
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The messages and webhooks that wait for approval, for clients with the scope admin. The gateway lets no
// other client decide, whatever a page shows.

const DECIDING = 'One moment.';

// A computer that asks to be paired: it has no ID, because only its code decides about it.
const isPairing = (row) => row.address !== undefined;

const keyOfApproval = (row) => isPairing(row) ? `${row.address} ${row.name}`
	: row.approval_id ?? `${row.message_id}-${row.revision ?? 0}`;

const fact = (word, ...about) => [make('dt', word), make('dd', ...about)];

// What an agent wants, as the heading, facts and text of its card.
const partsOfMessage = (row) => ({
	title: ` wants to send ${row.segments} SMS`,
	facts: [fact('To', row.contact_name && [foreign(row.contact_name), ', '],
			foreign(row.to_phone_number), row.country && `, ${countryOf(row.country)}`),
		fact('From', foreign(row.sim ?? `SIM ${row.subscription_id}, not available`)),
		row.send_at && fact('At', time.full(row.send_at))],
	text: [make('blockquote', { dir: 'auto' }, row.text)],
});

const partsOfWebhook = (row) => ({
	title: ' wants events posted',
	facts: [fact('To', foreign(row.receiver)), fact('Events', foreign(row.type)),
		row.filter !== '{}' && fact('Only', foreign(row.filter)),
		fact('Texts', row.include_text ? 'with the texts of messages' : 'without texts')],
	text: [make('p.note', 'An approval holds until you revoke it: ofono-mcp webhook.')],
});

const partsOfPairing = (row) => ({
	title: ' asks to be paired',
	facts: [fact('At', foreign(row.address))],
	text: [make('p.note', 'If you have just asked for it: run "ofono-mcp pair" on the phone, ' +
		'and type the code that the computer shows.')],
});

const partsOf = (row) => isPairing(row) ? partsOfPairing(row)
	: row.approval_id ? partsOfWebhook(row) : partsOfMessage(row);

class ApprovalsView {
	#phone;
	// By message and revision: what an agent changes is another card. Cards do not move while they are visible: a second press must not hit the
	// next card. So a card stays after its message was decided.
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
		approvals.forEach((row) => this.#rows.set(keyOfApproval(row), row));
		keep(this.#cards, [...this.#rows.values()], keyOfApproval, (row) =>
			this.#create(row));
		const { waiting } = this.#phone;
		setText(this.#more, moreApprovals ? `${moreApprovals} more are waiting.` : '');
		setText(this.#empty, approvals.length ? '' : waiting || (this.#phone.may('admin')
			? 'Nothing is waiting for your approval.'
			: 'Only the owner can approve messages: with "ofono-mcp approve", or on a ' +
				'page that was paired with the scope admin. This page was not.'));
	}

	#create(row) {
		const id = keyOfApproval(row);
		const reason = make('input', { id: `reason-${id}`, maxlength: 200,
			autocomplete: 'off', onkeydown: ({ key, isComposing }) =>
				({ Enter: decide, Escape: ask })[!isComposing && key]?.(false) });
		const said = make('p.warn', { role: 'alert' });
		let isLost = false;		// the answer to the decision
		const parts = partsOf(row);
		const facts = make('dl', { id: `facts-${id}` }, ...parts.facts);
		const decide = async (approve) => {
			choice.hidden = false;
			asking.hidden = true;
			setText(said, DECIDING);
			card.fill();
			const { approval_id, message_id, revision } = row;		// undefined: left out
			isLost = false;
			await this.#phone.call('decide_approval', { approve, approval_id, message_id,
				revision, reason: !approve && reason.value || undefined }).then(() =>
				setText(said, approve ? 'Approved.' : 'Rejected.'), (error) => {
				isLost = error instanceof NoAnswer;
				setText(said, error.message);
			});
			this.#phone.read();
		};
		const button = (kind, word, onclick) => make(`button.${kind}`,
			{ onclick, 'aria-describedby': facts.id }, word);
		// A double press of Reject lands on the field, not on the button that decides.
		const choice = make('div.decision', button('danger', 'Reject', () => ask(true)),
			button('primary', 'Approve', () => decide(true)));
		const asking = make('div.decision', { hidden: true },
			make('label', { for: reason.id }, 'Reason (optional)'), reason,
			button('cancel', 'Cancel', () => ask(false)),
			button('danger', 'Reject', () => decide(false)));
		const ask = (isAsked) => {
			choice.hidden = isAsked;
			asking.hidden = !isAsked;
			(isAsked ? reason : choice.firstChild).focus();
		};
		const buttons = make('div', choice, asking);
		const card = make('li.card', { 'aria-labelledby': `approval-${id}` },
			make('h2', { id: `approval-${id}` },
				foreign(row.client || (isPairing(row) ? row.name : 'An agent')),
				parts.title),
			facts,
			...parts.text,
			...(row.reason ? [make('p.warn', row.reason)] : []),
			make('p.note', `${row.asked_at ? `Requested ${time.full(row.asked_at)}. ` : ''}` +
				`Expires ${time.full(row.until)} without approval.`),
			isPairing(row) ? '' : row.own ? make('p.note', 'This page requested it itself, so ' +
				'somebody else has to decide.') : buttons, said);
		card.fill = () => {
			const waits = this.#phone.approvals.some((one) => keyOfApproval(one) === id);
			if (!waits && (!said.textContent || isLost))
				setText(said, 'Already decided elsewhere, changed, or expired.');
			buttons.querySelectorAll('button').forEach((button) => {
				button.disabled = !waits || said.textContent === DECIDING;
			});
		};
		return card;
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the phone: SIM cards, limits, rules, and times when it could not receive.

const LOW = 0.2;		// of a limit: what is left is shown

class StatusView {
	#phone; #now; #facts; #sims; #limits; #others; #ample; #limitless; #policy; #gaps; #client;

	constructor(phone, forget) {
		this.#phone = phone;
		this.#now = make('div.now', { role: 'status' });
		this.#sims = make('ul.cards');
		this.#limits = make('ul.limits', { 'aria-label': 'Low limits' });
		this.#ample = make('ul.limits');
		this.#others = make('details', make('summary', 'Limits with much left'), this.#ample);
		this.#limitless = make('p.note', 'No limits are set.');
		this.#policy = make('ul.plain-list');
		this.#gaps = make('ul.plain-list');
		this.#client = make('p.note');
		this.#facts = make('div.facts', make('h2', 'SIM cards'), this.#sims,
			make('h2', 'Limits'), this.#limits, this.#others, this.#limitless,
			make('h2', 'Rules for sending'), this.#policy,
			make('h2', 'Offline gaps in the last 7 days'), this.#gaps,
			make('h2', 'This page'), this.#client,
			forget && make('button.small', { onclick: forget },
				'Forget the token'));
		this.element = make('section.pane', { 'aria-label': 'Phone' }, this.#now, this.#facts);
	}

	show() {
		const { status, waiting } = this.#phone;
		this.#facts.hidden = !status;
		if (!status)
			return say(this.#now, make('p', waiting));
		this.#showNow(status);
		keep(this.#sims, this.#phone.sims, (sim) => sim.subscription_id, () => this.#card());
		this.#limitless.hidden = status.limits.length > 0;
		const isLow = ({ left, limit }) => left <= limit * LOW;
		const ample = status.limits.filter((limit) => !isLow(limit));
		this.#meters(this.#limits, status.limits.filter(isLow));
		this.#meters(this.#ample, ample);
		this.#others.hidden = !ample.length;
		this.#list(this.#policy, status.policy);
		this.#list(this.#gaps, status.gaps ? status.gaps.map((gap) =>
			`${time.full(gap.from)} \u2013 ${gap.until ? time.full(gap.until) : 'now'}: ${spell(gap.reason)}`) : ['None.']);
		setText(this.#client, `${status.client || 'No client name'}; scopes: ` +
			`${status.scopes.join(', ') || 'none'}.`);
	}

	#showNow({ can_send: canSend, why_not: whyNot, queue }) {
		const words = canSend ? 'Messages can be sent.' : whyNot ?? 'Nothing can be sent now.';
		this.#now.className = `now ${canSend ? 'good' : 'warn'}`;
		say(this.#now, make('p', words), make('p.note',
			`Waiting to be sent: ${queue.waiting} of at most ${queue.limit}.`));
	}

	#list(element, texts) {
		if (element.textContent !== texts.join(''))
			element.replaceChildren(...texts.map((text) => make('li', text)));
	}

	#card() {
		const card = make('li.card.sim');
		card.fill = (sim) => {
			const shown = JSON.stringify(sim);
			if (card.dataset.shown === shown)
				return;
			card.dataset.shown = shown;
			const [word, tone] = SIM_STATES[sim.state] ?? [sim.state, 'wait'];
			card.replaceChildren(signalOf(sim.signal_percent), make('div',
				make('h3', foreign(sim.display_name)),
				make(`p.state.${tone}`, word + (sim.roaming ? ', roaming' : '')),
				make('p.note', `Slot ${sim.sim_slot_index + 1}, `,
					foreign(sim.carrier_name || 'no operator'),
					sim.own_number && [', ', foreign(sim.own_number)],
					`, SIM ID ${sim.subscription_id}`),
				sim.state === 'locked' && make('p.note',
					'Unlock it on the phone with ofono-mcp sim unlock. This page never asks ' +
					'for a PIN.')));
		};
		return card;
	}

	#meters(list, limits) {
		keep(list, limits, (limit) => [limit.of, limit.subscription_id, limit.per],
			() => this.#meter());
	}

	#meter() {
		const name = make('span');
		const left = make('span.left');
		const bar = make('span.bar', { 'aria-hidden': 'true' }, make('span'));
		const row = make('li', make('p', name, left), bar);
		row.fill = (limit) => {
			const what = limit.per === 'month' ? 'SMS' : 'messages';
			const { subscription_id: id } = limit;
			const whose = id ? `${this.#phone.sim(id)?.display_name ?? 'A missing SIM'}: ` : '';
			setText(name, `${whose}${limit.limit} ${what} per ${limit.per}`);
			setText(left, `${limit.left} left` + (limit.frees_at && !limit.left
				? `, more ${time.full(limit.frees_at)}` : ''));
			bar.firstChild.style.width = `${100 * limit.left / limit.limit}%`;
			row.classList.toggle('bad', !limit.left);
		};
		return row;
	}
}

function signalOf(percent) {
	const bars = [10, 35, 60, 80].map((least) => make(percent >= least ? 'span.on' : 'span'));
	return make('div.signal', { role: 'img', 'aria-label': percent
		? `Signal ${percent} percent` : 'Signal unknown' }, bars,
		make('small', { 'aria-hidden': 'true' }, percent ? `${percent}\u2009%` : '\u2013'));
}

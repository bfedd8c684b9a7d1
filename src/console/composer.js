// SPDX-License-Identifier: GPL-2.0-or-later
// Where a message is written: recipient, SIM, number of SMS, and whether the gateway would accept
// it (a dry run after each change of the draft or of the phone). Only a press of the button sends;
// no tool of this page does.

const VERDICT_AFTER_MS = 350;
const DRAFTS_KEY = 'ofono-mcp-drafts';

// Drafts survive a reload of the tab. In a host nothing is stored.
const storedDrafts = {
	read() {
		try {
			return JSON.parse(sessionStorage.getItem(DRAFTS_KEY)) ?? [];
		} catch {
			return [];
		}
	},
	write(drafts) {
		try {
			sessionStorage.setItem(DRAFTS_KEY, JSON.stringify(drafts));
		} catch {}
	},
};

// The key stays with a message, so it is sent only once even if its answer is lost.
function newKey() {
	const bytes = crypto.getRandomValues(new Uint8Array(12));
	return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

class Composer {
	onsent = () => {};
	verdict = null;			// of the last dry run; null: unknown
	#phone;
	// By thread, '' for the new message: { to, text, sim }. `agents`: an agent wrote it. `offer`: a
	// draft of the agent next to the user's own. After sending { as, key, isLost }: the draft that
	// was sent, and whether its outcome is unknown.
	#drafts = new Map(storedDrafts.read());
	#number;			// of the thread; null: the user types it
	#sims = '';
	#timer = 0;
	#judged = '';			// the draft that the verdict is for
	#busy = new Set();		// drafts that are being sent
	#to; #toField; #text; #sim; #simField; #button; #said; #count; #offered;
	#offerField;

	constructor(phone) {
		this.#phone = phone;
		this.#to = make('input', { id: 'to', type: 'tel', inputmode: 'tel', maxlength: 40,
			autocomplete: 'off', placeholder: '+36201234567', oninput: () => this.#typed() });
		this.#toField = make('p.field',
			make('label', { for: 'to' }, 'To'), this.#to);
		this.#text = make('textarea', { id: 'text', rows: 1,
			placeholder: 'Text message', dir: 'auto', 'aria-describedby': 'verdict',
			onfocus: () => this.#changed(), oninput: () => this.#typed(),
			onkeydown: (event) => {
				if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
					this.#button.click();
			} });
		this.#sim = make('select', { id: 'sim', onchange: () => this.#edited(true) });
		this.#simField = make('p.field', { hidden: true },
			make('label', { for: 'sim' }, 'From'), this.#sim);
		this.#button = make('button.send', { onclick: () => this.#send() },
			make('span', 'Send'), icon('send'));
		this.#count = make('p.count');		// outside the status: not read aloud at each key
		this.#said = make('div.verdict', { role: 'status' });
		this.#offered = make('div');
		this.#offerField = make('div.offer', { role: 'status' }, this.#offered,
			make('div.buttons',
				make('button.small', { onclick: () => this.#answer(false) }, 'Keep mine'),
				make('button.small', { onclick: () => this.#answer(true) }, 'Use it')));
		// Not a form: the sandbox of a host does not allow submitting.
		this.element = make('div.composer', { role: 'group',
			'aria-label': 'Write a message' }, this.#offerField, this.#toField,
			make('label.hidden', { for: 'text' }, 'Text'),
			make('div.writing', this.#text, this.#button),
			make('div.beside', this.#simField, make('div.verdict', { id: 'verdict' },
				this.#count, this.#said)));
	}

	// `number`: of the thread; null: a new message to a number that the user types.
	use(number) {
		if (number !== this.#number) {
			this.#number = number;
			this.#to.value = this.#own.to ?? '';
			this.#text.value = this.#own.text ?? '';
		}
		this.#toField.hidden = number !== null;
		this.show();
	}

	get #own() {
		const thread = this.#number ?? '';
		if (!this.#drafts.has(thread))
			this.#drafts.set(thread, {});
		return this.#drafts.get(thread);
	}

	get draft() {
		return {
			phone_number: this.#number ?? this.#to.value.trim(),
			text: this.#text.value,
			subscription_id: Number(this.#sim.value) || undefined,
		};
	}

	get offer() {
		return this.#own.offer;
	}

	// An agent's draft. What the user wrote stays until the user accepts the draft instead, so
	// nothing is lost, and no text changes just before the user presses Send.
	propose(draft) {
		const { phone_number: number, subscription_id: sim, text } = draft, own = this.#own;
		const { text: mine, phone_number: to } = this.draft;
		const problem = this.#problem ?? (this.#busy.has(own) ? 'A message is being sent in this conversation.'
			: sim !== undefined && !this.#phone.sim(sim) &&
			`There is no SIM with the subscription_id ${sim}.`);
		if (problem)
			throw new ToolError(problem);
		const isOther = text !== mine || this.#number === null && number && number !== to;
		own.offer = isOther && !own.agents &&
			(mine.trim() || number && this.#number === null && to) ? draft : undefined;
		if (!own.offer)
			this.#set(draft);
		this.#store();
		this.show();
	}

	// Why no message can be written here; undefined: it can.
	get #problem() {
		if (!this.#phone.may('send'))
			return 'This client may not send.';
		if (this.#number === '' || this.#phone.conversation()?.trust === 'unverified_name')
			return 'You cannot reply to this sender.';
	}

	#answer(isTaken) {
		const { offer } = this.#own;
		this.#own.offer = undefined;
		if (isTaken)
			this.#set(offer);
		this.#store();
		this.show();
		this.#text.focus();
	}

	#set({ phone_number: number, text, subscription_id: sim }) {
		if (number !== undefined && this.#number === null)
			this.#to.value = number;
		this.#text.value = text;
		if (sim !== undefined)
			this.#sim.value = sim;
		this.#own.agents = true;
		this.#edited(sim !== undefined);
	}

	#typed() {
		this.#own.agents = false;
		this.#edited();
	}

	// A SIM that is gone stays chosen: a draft never changes to another one unnoticed.
	get #choices() {
		const { sims } = this.#phone, { sim: id } = this.#own;
		return !id || this.#phone.sim(id) ? sims
			: [...sims, { subscription_id: id, display_name: `SIM ${id}`, state: 'not available' }];
	}

	show() {
		const sims = this.#choices;
		const shown = JSON.stringify(sims.map((sim) => [sim.subscription_id, sim.display_name,
			sim.can_send]));
		this.element.hidden = Boolean(this.#problem);
		const { offer } = this.#own;
		this.#offerField.hidden = !offer;
		if (offer)
			say(this.#offered, make('p', 'The agent suggests a text',
				this.#number === null && offer.phone_number &&
				[' to ', foreign(offer.phone_number)], ':'),
				make('blockquote', { dir: 'auto', tabindex: 0 }, offer.text));
		this.#simField.hidden = sims.length < 2;
		if (shown !== this.#sims)
			this.#sim.replaceChildren(...sims.map((sim) => make('option',
				{ value: sim.subscription_id, disabled: !sim.can_send },
				sim.display_name + (sim.can_send ? '' : ` (${sim.state})`))));
		this.#sims = shown;
		this.#chooseSim(sims);
		this.#changed();
	}

	// The SIM that the draft began with, or else that of the last message.
	#chooseSim(sims) {
		const { thread } = this.#phone;
		const last = thread?.messages.at(-1) ?? this.#phone.conversation()?.last_message;
		const ready = sims.filter((sim) => sim.can_send);
		const best = ready.find((sim) => sim.subscription_id === last?.subscription_id) ?? ready[0];
		const id = this.#own.sim ?? best?.subscription_id;
		if (id)
			this.#sim.value = id;
	}

	#edited(isSim) {
		const { text, subscription_id: sim } = this.draft;
		Object.assign(this.#own, { to: this.#to.value, text }, text || isSim ? { sim } : {});
		this.#store();
		this.#changed();
	}

	#store() {
		storedDrafts.write([...this.#drafts]);
	}

	#changed() {
		const { text, phone_number: number } = this.draft;
		this.#text.style.height = 'auto';
		this.#text.style.height = `${this.#text.scrollHeight + 2}px`;
		clearTimeout(this.#timer);
		if (!text || !number)
			this.#judge(null, '');
		else if (this.element.isConnected && !this.#busy.has(this.#own))
			this.#timer = setTimeout(() => this.review(), VERDICT_AFTER_MS);
		this.#ready();
	}

	// Asks whether the draft would be accepted; for one that was sent, what became of it.
	async review() {
		const { text, phone_number: number } = this.draft;
		if (!text || !number || this.element.hidden)
			return;
		const thread = this.#number ?? '', own = this.#own, as = this.#as;
		const verdict = await this.#phone.call('send_sms', { ...this.#order(), dry_run: true })
			.catch((error) => ({ error: error.message }));
		if (as !== this.#as)
			return;
		if (verdict.repeats_message_id)
			return this.#taken(thread, own, number);
		own.isLost &&= Boolean(verdict.error);		// the gateway does not have that message
		this.#judge(verdict, as);
	}

	get #as() {
		return JSON.stringify(this.draft);
	}

	#order() {
		const { phone_number: to_phone_number, text: sms_text, subscription_id } = this.draft;
		const { as, key } = this.#own;
		return { to_phone_number, sms_text, subscription_id,
			idempotency_key: as === this.#as ? key : newKey() };
	}

	#judge(verdict, draft) {
		this.verdict = verdict;
		this.#judged = draft;
		setText(this.#count, verdict?.segments ? this.#countOf(verdict) : '');
		say(this.#said, ...this.#words(verdict));
		this.#ready();
	}

	#countOf({ segments, units_left: left, encoding }) {
		return `${segments} SMS, ${left} character${left === 1 ? '' : 's'} left` +
			(encoding === 'ucs2' ? ' (70 per SMS, because of special characters)' : '');
	}

	#words(verdict) {
		const words = this.#isLost ? [make('p.bad', 'The phone did not answer, ' +
			'so it is unknown whether it accepted the message. Press Send again: it will ' +
			'not be sent twice.')] : [];
		if (verdict?.error)
			words.push(make('p.bad', verdict.error));
		if (!verdict?.segments)
			return words;
		const { refusals } = verdict;
		const { risky_character: risky } = verdict;
		const needsApproval = verdict.approval === 'required';
		words.push(...refusals.map(({ message, fix }) =>
			make('p.bad', `${message} ${fix}`)));
		if (risky)
			words.push(make('p.warn', `oFono on this phone probably rejects ${
				String.fromCodePoint(parseInt(risky.slice(2), 16))}.`));
		else if (!refusals.length)
			words.push(make(`p.${needsApproval ? 'warn' : 'good'}`, needsApproval
				? 'It will wait for approval.' : 'Ready to send.'));
		return words;
	}

	get #isLost() {
		const own = this.#own;
		return own.isLost && own.as === this.#as && !this.#busy.has(own);
	}

	#ready() {
		const { text, phone_number: number } = this.draft;
		const isBusy = this.#busy.has(this.#own);
		const isRefused = this.verdict?.refusals?.length > 0 && !this.#isLost &&
			this.#judged === this.#as;
		const isNews = this.#own.agents && this.#judged !== this.#as;
		this.#button.disabled = !text || !number || isRefused || isBusy || isNews;
		this.#text.readOnly = isBusy;
		this.element.ariaBusy = isBusy;
		setText(this.#button.firstChild, this.verdict?.approval === 'required'
			? 'Ask' : 'Send');
	}

	async #send() {
		const thread = this.#number ?? '', own = this.#own, as = this.#as;
		const isLost = own.isLost && own.as === as;
		if (own.as !== as)
			Object.assign(own, { as, key: newKey() });
		own.isLost = true;
		this.#store();
		this.#busy.add(own);
		this.#changed();
		try {
			const sent = await this.#phone.call('send_sms', { ...this.#order(),
				wait_for: 'none' });
			this.#taken(thread, own, sent.to_phone_number);
		} catch (error) {
			own.isLost = isLost || error instanceof NoAnswer;
			this.#busy.delete(own);
			if (as === this.#as)
				this.#judge(own.isLost ? null : { error: error.message }, as);
			this.#ready();
		}
	}

	// A user who went to another view meanwhile stays there.
	#taken(thread, own, number) {
		if (this.#drafts.get(thread) !== own)
			return;
		this.#drafts.delete(thread);
		this.#store();
		if (thread === (this.#number ?? '')) {
			this.#to.value = this.#text.value = '';
			if (this.element.isConnected) {
				this.#text.focus();
				this.onsent(number);
			}
		}
		this.#changed();
	}
}

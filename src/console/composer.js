// SPDX-License-Identifier: GPL-2.0-or-later
// Where a message is written: to whom, from which SIM, how many SMS it is, and what the
// gateway would say to it (a dry run after each change). Sending is a press of the button
// and nothing else: no tool of this page does it.

const VERDICT_AFTER_MS = 350;

// One message goes out once, however often its answer is lost: the key stays with it.
function newKey() {
	const bytes = crypto.getRandomValues(new Uint8Array(12));
	return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

class Composer {
	onsent = () => {};
	verdict = null;			// of the last dry run; null: it is not known
	#phone;
	#drafts = new Map();		// text by recipient; '' is the new message
	#number = null;			// of the thread; null: it is typed
	#sims = '';
	#timer = 0;
	#judged = '';			// the draft that the verdict is about
	#attempt = { draft: '', key: '' };
	#isBusy = false;

	constructor(phone) {
		this.#phone = phone;
		this.to = make('input', { id: 'to', type: 'tel', inputmode: 'tel', maxlength: 40,
			autocomplete: 'off', placeholder: '+36201234567', oninput: () => this.#changed() });
		this.toField = make('p', { class: 'field' },
			make('label', { for: 'to' }, 'To'), this.to);
		this.text = make('textarea', { id: 'text', rows: 1, maxlength: 1600,
			placeholder: 'Text message', dir: 'auto', 'aria-describedby': 'verdict',
			oninput: () => this.#changed(), onkeydown: (event) => {
				if (event.key === 'Enter' && event.ctrlKey)
					this.button.click();
			} });
		this.sim = make('select', { id: 'sim', onchange: () => this.#changed() });
		this.simField = make('p', { class: 'field', hidden: true },
			make('label', { for: 'sim' }, 'From'), this.sim);
		this.button = make('button', { type: 'button', class: 'send',
			onclick: () => this.#send() },
			make('span', { class: 'send-word' }, 'Send'), icon('send'));
		this.said = make('div', { id: 'verdict', class: 'verdict', role: 'status' });
		// No form: the sandbox of a host lets none be submitted.
		this.element = make('div', { class: 'composer', role: 'group',
			'aria-label': 'Write a message' }, this.toField,
			make('label', { for: 'text', class: 'hidden' }, 'Text'),
			make('div', { class: 'writing' }, this.text, this.button),
			make('div', { class: 'beside' }, this.simField, this.said));
	}

	// The thread of a number, or (null) a message to a number that is typed.
	use(number) {
		if (number !== this.#number) {
			this.#number = number;
			this.text.value = this.#drafts.get(number ?? '') ?? '';
		}
		this.toField.hidden = number !== null;
		this.show();
		this.#changed();
	}

	get draft() {
		return {
			phone_number: this.#number ?? this.to.value.trim(),
			text: this.text.value,
			subscription_id: Number(this.sim.value) || undefined,
		};
	}

	// What another part of the page wants to stand here; members that are absent stay.
	set({ phone_number: number, text, subscription_id: sim }) {
		if (number !== undefined && this.#number === null)
			this.to.value = number;
		if (text !== undefined)
			this.text.value = text;
		if (sim !== undefined)
			this.sim.value = String(sim);
		this.#changed();
	}

	focus() {
		(this.#number === null ? this.to : this.text).focus();
	}

	show() {
		const sims = this.#phone.sims;
		const shown = JSON.stringify(sims.map((sim) => [sim.subscription_id, sim.display_name,
			sim.can_send]));
		this.element.hidden = !this.#phone.may('send');
		this.simField.hidden = sims.length < 2;
		if (shown === this.#sims)
			return;
		this.#sims = shown;
		const chosen = this.sim.value;
		this.sim.replaceChildren(...sims.map((sim) => make('option',
			{ value: sim.subscription_id, disabled: !sim.can_send },
			`SIM ${sim.sim_slot_index + 1}: ${sim.display_name}` +
			(sim.can_send ? '' : ` (${sim.state})`))));
		const last = this.#phone.conversation(this.#number)?.last_message.subscription_id;
		const best = [Number(chosen), last].find((id) => sims.some((sim) =>
			sim.subscription_id === id && sim.can_send)) ??
			sims.find((sim) => sim.can_send)?.subscription_id;
		if (best)
			this.sim.value = String(best);
		this.#changed();
	}

	#changed() {
		const { text, phone_number: number } = this.draft;
		this.#drafts.set(this.#number ?? '', text);
		this.text.style.setProperty('height', 'auto');
		this.text.style.setProperty('height', `${Math.min(this.text.scrollHeight + 2, 150)}px`);
		clearTimeout(this.#timer);
		if (!text || !number) {
			this.#judge(null, '');
			return;
		}
		if (JSON.stringify(this.draft) !== this.#judged)
			this.#timer = setTimeout(() => this.review(), VERDICT_AFTER_MS);
		this.#ready();
	}

	// Asks what would become of the draft now.
	async review() {
		const draft = JSON.stringify(this.draft);
		const { text, phone_number: number } = this.draft;
		if (!text || !number || this.element.hidden)
			return;
		try {
			const verdict = await this.#phone.call('send_sms', { ...this.#order(),
				dry_run: true });
			if (draft === JSON.stringify(this.draft))
				this.#judge(verdict, draft);
		} catch (error) {
			if (draft === JSON.stringify(this.draft))
				this.#judge({ error: error.message }, draft);
		}
	}

	#order() {
		const { phone_number: number, text, subscription_id: sim } = this.draft;
		return { to_phone_number: number, sms_text: text,
			...(sim ? { subscription_id: sim } : {}) };
	}

	#judge(verdict, draft) {
		this.verdict = verdict;
		this.#judged = draft;
		this.said.replaceChildren(...this.#words(verdict));
		this.#ready();
	}

	#words(verdict) {
		if (!verdict)
			return [];
		if (verdict.error)
			return [make('p', { class: 'bad' }, verdict.error)];
		const size = make('p', { class: 'count' },
			`${verdict.segments} SMS, ${verdict.units_left} characters left` +
			(verdict.encoding === 'ucs2' ? ' (70 in one, for its letters)' : ''));
		const needsYes = verdict.approval === 'required';
		const refusals = verdict.refusals.map((refusal) =>
			make('p', { class: 'bad' }, `${refusal.message} ${refusal.fix}`));
		if (refusals.length)
			return [size, ...refusals];
		return [size, make('p', { class: needsYes ? 'warn' : 'good' }, needsYes
			? 'It will wait for a yes.' : 'Can be sent.')];
	}

	#ready() {
		const { text, phone_number: number } = this.draft;
		const isRefused = this.verdict?.refusals?.length > 0 &&
			this.#judged === JSON.stringify(this.draft);
		this.button.disabled = !text || !number || isRefused || this.#isBusy;
		setText(this.button.firstChild, this.verdict?.approval === 'required'
			? 'Ask' : 'Send');
	}

	async #send() {
		const draft = JSON.stringify(this.draft);
		if (this.#attempt.draft !== draft)
			this.#attempt = { draft, key: newKey() };
		this.#busy(true);
		try {
			const sent = await this.#phone.call('send_sms', { ...this.#order(),
				wait_for: 'none', idempotency_key: this.#attempt.key });
			this.#attempt = { draft: '', key: '' };
			this.text.value = '';
			this.#changed();
			this.onsent(sent.to_phone_number);
		} catch (error) {
			const words = error instanceof NoAnswer ? `${error.message} Nobody knows whether ` +
				'the message was taken. Press Send again: it goes out once, if at all.'
				: error.message;
			this.#judge({ error: words }, draft);
		}
		this.#busy(false);
	}

	#busy(isBusy) {
		this.#isBusy = isBusy;
		this.element.setAttribute('aria-busy', String(isBusy));
		this.#ready();
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The messages exchanged with one number, oldest first, and the composer.

const NEAR_END_PX = 80;
const AFTER_READING_MS = 1000;

class ThreadView {
	#phone; #view; #about; #empty; #choose; #earlier; #rows; #scroll; #place; #composer;

	constructor(phone, composer, openLink) {
		this.#phone = phone;
		this.#composer = composer;
		this.#view = new MessageView(phone, openLink);
		this.#about = make('p.about');
		this.#empty = make('p.empty');
		// The selection is for a host's agent.
		this.#choose = make('button.small', {
			'aria-pressed': 'false', hidden: parent === window,
			onclick: () => this.choosing(!this.isChoosing) }, 'Select');
		this.#earlier = make('button.more', { hidden: true,
			onclick: () => this.#quietly(phone.readEarlier()) }, 'Earlier messages');
		this.#rows = make('ol.messages');
		this.#scroll = make('div.scroll', { role: 'log', tabindex: '0',
			'aria-label': 'Messages' }, this.#earlier, this.#empty, this.#rows);
		this.#place = make('div');
		this.element = make('section.thread', { 'aria-label': 'Conversation' },
			make('div.strip', this.#about, this.#choose),
			this.#scroll, this.#place);
	}

	get isChoosing() {
		return this.#choose.ariaPressed === 'true';
	}

	choosing(isOn) {
		this.#choose.ariaPressed = isOn;
		this.element.classList.toggle('choosing', isOn);
		if (!isOn)
			this.#phone.select([]);
		this.showSelection();
	}

	// Older messages are not read aloud as if they had just arrived.
	async #quietly(reading) {
		this.#scroll.ariaLive = 'off';
		await reading;
		setTimeout(() => { this.#scroll.ariaLive = 'polite'; }, AFTER_READING_MS);
	}

	// Shows another thread, which is being read.
	begin(reading) {
		this.#quietly(reading);
		this.#rows.replaceChildren();
		this.#scroll.scrollTop = 0;
		this.choosing(false);
		this.#place.append(this.#composer.element);
		this.#composer.use(this.#phone.thread.number);
		this.show();
	}

	async reveal(id) {
		await this.#quietly(this.#phone.readBackTo(id));
		[...this.#rows.children].find((row) => row.dataset.key === String(id))
			?.scrollIntoView({ block: 'center' });
	}

	show() {
		const { thread } = this.#phone;
		if (!thread)
			return;
		const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
		const wasAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
		const first = this.#rows.querySelector('.message'), top = first?.offsetTop;
		this.#showAbout(this.#phone.conversation());
		this.#earlier.hidden = !thread.next;
		this.#empty.hidden = thread.messages.length > 0;
		setText(this.#empty, this.#phone.waiting || this.#phone.trouble ||
			(thread.isRead ? 'No messages with this number yet.' : 'Loading\u2026'));
		keep(this.#rows, this.#withDays(thread.messages), (row) => row.key ?? row.message_id,
			(row) => row.day ? this.#heading() : this.#view.create(row));
		this.#composer.show();
		if (wasAtEnd)
			this.#scroll.scrollTop = this.#scroll.scrollHeight;
		else if (first?.isConnected)
			this.#scroll.scrollTop = scrollTop + first.offsetTop - top;
	}

	#heading() {
		const heading = make('li.day');
		heading.fill = ({ day }) => setText(heading, day);
		return heading;
	}

	#withDays(messages) {
		const rows = [];
		let last = '';
		for (const message of messages) {
			const day = time.day(message.at);
			if (day !== last)
				rows.push({ day, key: `before-${message.message_id}` });
			last = day;
			rows.push(message);
		}
		return rows;
	}

	#showAbout(conversation) {
		const words = [], name = conversation?.contact_name;
		if (conversation?.opted_out)
			words.push(['warn', 'Opted out (texted STOP): nothing can be sent until they text START.']);
		if (conversation?.loop_until)
			words.push(['warn', 'This looks like an auto-reply loop: nothing can be sent ' +
				`until ${time.full(conversation.loop_until)}.`]);
		const trust = TRUST[conversation?.trust];
		if (trust && !words.length)
			words.push(['note', name ? foreign(conversation.phone_number) : trust]);
		this.#about.replaceChildren(...words.map(([tone, text]) =>
			make(`span.${tone}`, text)));
	}

	showSelection() {
		const { size } = this.#phone.selected;
		setText(this.#choose, this.isChoosing ? `${size} selected, done` : 'Select');
		this.#rows.querySelectorAll('.message').forEach((row) => {
			const isSelected = this.#phone.selected.has(Number(row.dataset.key));
			row.classList.toggle('is-selected', isSelected);
			row.querySelector('input').checked = isSelected;
		});
	}
}

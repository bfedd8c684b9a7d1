// SPDX-License-Identifier: GPL-2.0-or-later
// Search: conversations by name or number, among those that were read, and messages by their text,
// which the gateway looks for. One call at a time; typing meanwhile causes one more.

class Search {
	words = '';
	messages = [];			// that contain the words, newest first
	onchange = () => {};
	#phone; #open;
	#isAsking = false;

	constructor(phone, open) {
		this.#phone = phone;
		this.#open = open;
		find('search').oninput = () => this.#ask();
	}

	async #ask() {
		if (this.#isAsking)
			return;
		this.#isAsking = true;
		for (let words; (words = find('search').value.trim()) !== this.words;) {
			const page = words ? await this.#phone.search(words).catch((error) =>
				({ messages: [], trouble: error.message })) : { messages: [] };
			Object.assign(this, { words, messages: page.messages, trouble: page.trouble,
				isCut: !!page.next_cursor });
			this.onchange();
		}
		this.#isAsking = false;
	}

	has(party) {
		const words = this.words.toLowerCase();
		return [nameOf(party), party.phone_number].some((text) =>
			text.toLowerCase().includes(words));
	}

	show(conversations) {
		const { words, messages, trouble, isCut } = this;
		const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
		setText(find('found-count'), !words ? '' : trouble ||
			`${count(conversations.length, 'conversation')}, ` +
			`${isCut ? 'the newest ' : ''}${count(messages.length, 'message')} with "${words}".`);
		keep(find('found'), messages, (row) => row.message_id, (row) => this.#create(row));
	}

	#create(message) {
		const when = make('time.when', { datetime: message.at });
		const row = make('li', make('button.row', { onclick: () =>
			this.#open(message) }, markOf(message),
			make('span.row-text',
				make('span.row-line', make('bdi.who', nameOf(message)), when),
				make('bdi.excerpt', message.text))));
		row.fill = () => setText(when, time.brief(message.at));
		return row;
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The list of conversations, latest first.

const LETTER = /^\p{L}/u;

// The first letters of the first and the last word: Kovács Anna is KA.
function initialsOf(name) {
	const words = name.split(/\s+/).filter((word) => LETTER.test(word));
	return [...new Set([words[0] ?? name, words.at(-1) ?? name])]
		.map((word) => [...word][0].toUpperCase()).join('');
}

// The round mark: the initials of a contact, or the last digits of a number.
function markOf(party) {
	const name = nameOf(party), digits = name.replace(/\D/g, '');
	const isNumber = !party.contact_name && digits.length > 4;
	const mark = make('span.mark', { 'aria-hidden': 'true' }, isClaimed(party) ? '?'
		: isNumber ? digits.slice(-2) : initialsOf(name));
	const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
	mark.style.setProperty('--hue', hue);
	return mark;
}

const nameOf = ({ contact_name: name, phone_number: number }) =>
	name ?? (number || 'No number');

// A sender can choose any alphanumeric name, including that of a contact.
const isClaimed = ({ contact_name: name, phone_number: number }) =>
	!name && /[^\d+*# ()-]/.test(number);

function stateTag(state, isShort = false) {
	const [word, tone, sign] = STATES[state] ?? [state, 'wait', ''];
	return make(`span.state.${tone}`,
		sign && make('span', { 'aria-hidden': 'true' }, `${sign} `), isShort ? make('span.hidden', word) : word);
}

class ConversationList {
	#phone; #search;

	constructor(phone, search, open) {
		this.#phone = phone;
		this.#search = search;
		this.open = open;
		find('more-conversations').onclick = () => phone.readMoreConversations();
	}

	show() {
		const { nextConversations, waiting, trouble } = this.#phone;
		const { words } = this.#search;
		const conversations = this.#phone.conversations.filter((row) => this.#search.has(row));
		this.#search.show(conversations);
		keep(find('conversations'), conversations, (row) => row.phone_number,
			(row) => this.#create(row));
		find('more-conversations').hidden = !nextConversations || !!words;
		find('no-conversations').hidden = conversations.length > 0 || !!words;
		setText(find('no-conversations'), waiting || trouble || 'No messages yet. Incoming and ' +
			'outgoing messages appear here.');
	}

	#create(party) {
		const { phone_number: number } = party;
		const name = make('bdi.who');
		const claimed = make('span.state.warn', 'Unverified:');
		const when = make('time.when');
		const text = make('bdi.excerpt');
		const state = make('span.row-state');
		const unread = make('span.unread');
		const button = make('button.row', { onclick: () =>
			this.open(number) }, markOf(party),
			make('span.row-text',
				make('span.row-line', claimed, name, when),
				make('span.row-line', text, unread)));
		const row = make('li', button);
		row.fill = (now) => {
			const { last_message: last, unread: count, opted_out: optedOut } = now;
			const isOpen = this.#phone.thread?.number === number;
			if (name.textContent !== nameOf(now))
				button.firstChild.replaceWith(markOf(now));
			setText(name, nameOf(now));
			claimed.hidden = !isClaimed(now);
			setText(when, time.brief(last.at));
			when.dateTime = last.at;
			setText(text, last.text);
			// A sign at the words, or a line below them: a state never takes their place.
			const isGood = !optedOut && STATES[last.state]?.[1] === 'good';
			state.replaceChildren(...(optedOut ? [make('span.state.warn',
				'opted out')] : last.direction === 'out' ? [stateTag(last.state, isGood)] : []));
			if (isGood)
				text.before(state);
			else
				text.parentNode.after(state);
			setCount(unread, count, 'unread');
			row.classList.toggle('is-unread', count > 0);
			button.ariaCurrent = String(isOpen);
		};
		return row;
	}
}

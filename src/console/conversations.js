// SPDX-License-Identifier: GPL-2.0-or-later
// The list of conversations, latest first.

// The round mark: the last digits of a number, or the first letter of a name.
function markOf(party) {
	const name = nameOf(party), digits = name.replace(/\D/g, '');
	const mark = make('span.mark', { 'aria-hidden': 'true' }, isClaimed(party) ? '?'
		: digits.length > 4 ? digits.slice(-2) : [...name][0]);
	const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
	mark.style.setProperty('--hue', hue);
	return mark;
}

const nameOf = ({ contact_name: name, phone_number: number }) =>
	name ?? (number || 'No number');

// A sender can choose any alphanumeric name, including that of a contact.
const isClaimed = ({ contact_name: name, phone_number: number }) =>
	!name && /[^\d+*# ()-]/.test(number);

function stateTag(state) {
	const [word, tone, sign] = STATES[state] ?? [state, 'wait', ''];
	return make(`span.state.${tone}`,
		sign && make('span', { 'aria-hidden': 'true' }, `${sign} `), word);
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
		const { nextConversations, status, trouble } = this.#phone;
		const { words } = this.#search;
		const conversations = this.#phone.conversations.filter((row) => this.#search.has(row));
		this.#search.show(conversations);
		keep(find('conversations'), conversations, (row) => row.phone_number,
			(row) => this.#create(row));
		find('more-conversations').hidden = !nextConversations || !!words;
		find('no-conversations').hidden = conversations.length > 0 || !!words || !(status || trouble);
		setText(find('no-conversations'), trouble || 'No messages yet. Incoming and ' +
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
				make('span.row-line', text, state, unread)));
		const row = make('li', button);
		row.fill = (now) => {
			const { last_message: last, unread: count, opted_out: optedOut } = now;
			const isOpen = this.#phone.thread?.number === number;
			setText(name, nameOf(now));
			claimed.hidden = !isClaimed(now);
			setText(when, time.brief(last.at));
			when.dateTime = last.at;
			setText(text, last.text);
			state.replaceChildren(...(optedOut ? [make('span.state.warn',
				'opted out')] : last.direction === 'out' ? [stateTag(last.state)] : []));
			setCount(unread, count, 'unread');
			row.classList.toggle('is-unread', count > 0);
			button.ariaCurrent = String(isOpen);
		};
		return row;
	}
}

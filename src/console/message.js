// SPDX-License-Identifier: GPL-2.0-or-later
// One message of a thread: its text, its state and history, and whether it is selected.

class MessageView {
	#phone;
	#openLink;

	constructor(phone, openLink) {
		this.#phone = phone;
		this.#openLink = openLink;
	}

	create(message) {
		const { message_id: id, direction } = message;
		const isOut = direction === 'out';
		const box = make('input', { type: 'checkbox', id: `select-${id}`,
			onchange: () => this.#toggle(id, box.checked) });
		const bubble = make('p.bubble', { dir: 'auto' });
		let links = [];
		const foot = make('span.foot');
		const history = make('ol.history', { id: `history-${id}`, hidden: true });
		const row = make(isOut ? 'li.message.out' : 'li.message',
			make('label.pick', { for: box.id }, box,
				make('span.hidden', `Select message ${id}`)),
			make('div.body',
				make('span.hidden', isOut ? 'From here: ' : 'They: '),
				bubble, foot, history));
		row.fill = (now) => {
			box.checked = this.#phone.selected.has(id);
			row.classList.toggle('is-selected', box.checked);
			if (bubble.textContent !== now.text) {		// an agent may edit what is not sent
				bubble.textContent = now.text;
				links.forEach((link) => link.remove());
				links = linkButtons(now.text, this.#openLink);
				bubble.after(...links);
			}
			const key = JSON.stringify([time.clock(now.at), now.state, now.reason,
				now.flags, now.masked]);
			if (row.dataset.shown === key)
				return;
			row.dataset.shown = key;
			foot.replaceChildren(...this.#foot(now, history));
			if (!history.hidden)
				this.#fillHistory(history, id);
		};
		return row;
	}

	#toggle(id, isSelected) {
		const { selected } = this.#phone;
		const others = [...selected].filter((other) => other !== id);
		this.#phone.select(isSelected ? [...others, id] : others);
	}

	#foot(message, history) {
		const when = make('time', { datetime: message.at },
			time.clock(message.at));
		const notes = notesOf(message).map((note) => make('span.note', note));
		if (message.direction === 'in')
			return [when, ...notes];
		const state = make('button.plain', {
			'aria-expanded': String(!history.hidden), 'aria-controls': history.id,
			onclick: () => this.#unfold(state, history, message.message_id) },
			stateTag(message.state), make('span.hidden', ', history'));
		const sender = senderOf(message);
		return [when, state, ...(sender ? [make('span.note', 'by ', foreign(sender))] : []), ...notes];
	}

	#unfold(button, history, id) {
		history.hidden = !history.hidden;
		button.ariaExpanded = !history.hidden;
		if (!history.hidden)
			this.#fillHistory(history, id);
	}

	async #fillHistory(history, id) {
		try {
			const status = await this.#phone.call('get_sms_status',
				{ message_id: id, history: true });
			history.replaceChildren(...status.changes.map((change) => make('li',
				make('time', { datetime: change.at }, time.full(change.at)), ' ',
				stateTag(change.state), change.note && foreign(` ${change.note}`))),
				make('li.note', status.meaning, status.send_at &&
					` Not before ${time.full(status.send_at)}.`));
		} catch (error) {
			history.replaceChildren(make('li.note', error.message));
		}
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Elements of the page. All text becomes text nodes, never markup: no code of the page parses HTML,
// and its content security policy forbids it.

const find = (id) => document.getElementById(id);

// make('p.note.good', { onclick: f }, 'text', child): the attributes are optional; children that
// are null or false are left out.
function make(name, ...children) {
	const [tag, ...classes] = name.split('.');
	const element = document.createElement(tag);
	const attributes = children[0]?.constructor === Object ? children.shift() : {};
	if (classes.length)
		element.className = classes.join(' ');
	for (const [key, value] of Object.entries(attributes)) {
		if (value === false)
			continue;
		if (key.startsWith('on'))
			element[key] = value;
		else
			element.setAttribute(key, value === true ? '' : value);
	}
	element.append(...children.flat().filter(Boolean));
	return element;
}

const ICONS = {
	back: 'M15 5l-7 7 7 7',
	write: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
	send: 'M5 12h13M12 5l7 7-7 7',
	messages: 'M4 5h16v11H12l-5 4v-4H4z',
	approvals: 'M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9 12l2 2 4-4',
	phone: 'M8 3h8v18H8zM11 18h2',
};

function icon(name) {
	const space = 'http://www.w3.org/2000/svg';
	const svg = document.createElementNS(space, 'svg');
	const path = document.createElementNS(space, 'path');
	svg.setAttribute('viewBox', '0 0 24 24');
	svg.setAttribute('aria-hidden', 'true');
	path.setAttribute('d', ICONS[name]);
	svg.append(path);
	return svg;
}

// A stranger's text: its writing direction does not affect the text around it.
const foreign = (text) => make('bdi', text);

// Makes the children of `parent` match `rows`. A child whose key is still there stays, with focus
// and scroll position, and gets fill(row); create(row) makes new ones.
function keep(parent, rows, keyOf, create) {
	const focused = document.activeElement;
	const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
	rows.forEach((row, index) => {
		const key = String(keyOf(row));
		const element = before.get(key) ?? create(row);
		before.delete(key);
		element.dataset.key = key;
		element.fill?.(row);
		if (parent.children[index] !== element)
			parent.insertBefore(element, parent.children[index] ?? null);
	});
	before.forEach((element) => element.remove());
	if (parent.contains(focused))
		focused.focus({ preventScroll: true });		// a child that moved has lost it
}

// For text that is read aloud: replaces it only if it has changed.
function say(element, ...children) {
	const said = make('p', ...children);
	if (element.textContent !== said.textContent)
		element.replaceChildren(...said.childNodes);
}

function setText(element, text) {
	if (element.textContent !== text)
		element.textContent = text;
}

function setCount(badge, count, word) {
	badge.hidden = !count;
	badge.replaceChildren(String(count), make('span.hidden', ` ${word}`));
}

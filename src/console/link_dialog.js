// SPDX-License-Identifier: GPL-2.0-or-later
// Links in messages of strangers are text. Behind the message stands where each leads: its
// host as a browser understands it, so that letters of other scripts cannot pose as others.

const LINK = /https?:\/\/[^\s<>"'\u201C\u201D]+/giu;

function linksIn(text) {
	return (text.match(LINK) ?? []).map((link) => URL.parse?.(link) ?? tryUrl(link))
		.filter((url) => url && /^https?:$/.test(url.protocol)).slice(0, 5);
}

function tryUrl(text) {
	try {
		return new URL(text);
	} catch {
		return null;
	}
}

function askToOpen(url, openLink) {
	const close = () => dialog.close();
	const dialog = make('dialog', { 'aria-labelledby': 'link-host', onclose: () =>
		dialog.remove() },
		make('p', {}, 'A message wants to lead you to'),
		make('p', { id: 'link-host', class: 'link-host' }, url.host),
		make('p', { class: 'link-whole' }, url.href),
		make('p', { class: 'note' }, 'Whoever wrote it may not be who they seem.'),
		make('div', { class: 'buttons' },
			make('button', { type: 'button', onclick: close }, 'Stay here'),
			make('button', { type: 'button', class: 'danger', onclick: () => {
				openLink(url.href);
				close();
			} }, 'Open it')));
	document.body.append(dialog);
	dialog.showModal();
}

function linkButtons(text, openLink) {
	return linksIn(text).map((url) => make('button', { type: 'button', class: 'link',
		onclick: () => askToOpen(url, openLink) }, 'Link to ', foreign(url.host)));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Links in messages of strangers are text. Behind the message stands where each leads: its
// host as a browser understands it, so that letters of other scripts cannot pose as others.

const LINK = /https?:\/\/[^\s<>"'\u201C\u201D]+/giu;
const BEHIND = /[.,;:!?\u2026]+$/;	// of the sentence, not of the link

const linksIn = (text) => (text.match(LINK) ?? []).map((link) => link.replace(BEHIND, ''))
	.map((link) => link.includes('(') ? link : link.replace(/\).*$/, ''))
	.filter((link) => URL.canParse(link)).map((link) => new URL(link)).slice(0, 5);

function askToOpen(url, openLink) {
	const close = () => dialog.close();
	const note = make('p.note', { role: 'status' },
		'Whoever wrote it may not be who they seem.');
	const dialog = make('dialog', { 'aria-labelledby': 'link-host', onclose: () =>
		dialog.remove() },
		make('p', 'A message wants to lead you to'),
		make('p.link-host', { id: 'link-host' }, url.host),
		make('p.link-whole', { tabindex: 0 }, url.href),
		note,
		make('div.buttons',
			make('button', { onclick: close }, 'Stay here'),
			make('button.danger', { onclick: async () => {
				if (await openLink(url.href))
					close();
				else
					setText(note, 'The host did not open it. You can copy it from here.');
			} }, 'Open it')));
	document.body.append(dialog);
	dialog.showModal();
}

function linkButtons(text, openLink) {
	return linksIn(text).map((url) => make('button.link', { onclick: () =>
		askToOpen(url, openLink) }, 'Link to ', foreign(url.host)));
}

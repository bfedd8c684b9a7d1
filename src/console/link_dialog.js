// SPDX-License-Identifier: GPL-2.0-or-later
// Links in messages are plain text. Below the message, a button shows where each one leads: its
// host as the browser parses it, so that letters of other scripts cannot imitate it.

const LINK = /https?:\/\/[^\s<>"'\u201C\u201D]+/giu;
const TRAILING = /[.,;:!?\u2026]+$/;	// punctuation of the sentence, not of the link

const linksIn = (text) => (text.match(LINK) ?? []).map((link) => link.replace(TRAILING, ''))
	.map((link) => link.includes('(') ? link : link.replace(/\).*$/, ''))
	.filter((link) => URL.canParse(link)).map((link) => new URL(link)).slice(0, 5);

function askToOpen(url, openLink) {
	const close = () => dialog.close();
	const note = make('p.note', { role: 'status' },
		'The sender may not be who they seem to be.');
	const dialog = make('dialog', { 'aria-labelledby': 'link-host', onclose: () =>
		dialog.remove() },
		make('p', 'Open this link?'),
		make('p.link-host', { id: 'link-host' }, url.host),
		make('p.link-whole', { tabindex: 0 }, url.href),
		note,
		make('div.buttons',
			make('button', { onclick: close }, 'Cancel'),
			make('button.danger', { onclick: async () => {
				if (await openLink(url.href))
					close();
				else
					setText(note, 'The host did not open it. You can copy the link from here.');
			} }, 'Open')));
	document.body.append(dialog);
	dialog.showModal();
}

function linkButtons(text, openLink) {
	return linksIn(text).map((url) => make('button.link', { onclick: () =>
		askToOpen(url, openLink) }, 'Link to ', foreign(url.host)));
}

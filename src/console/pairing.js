// SPDX-License-Identifier: GPL-2.0-or-later
// The token of a page in a browser. It comes in the fragment of the link, which browsers do not
// send, is removed from the address bar at once, and is kept for this tab only.

const TOKEN_KEY = 'ofono-mcp-token';
const TOKEN = /[0-9a-f]{64}/;

const storedToken = {
	read: () => sessionStorage.getItem(TOKEN_KEY),
	write: (token) => sessionStorage.setItem(TOKEN_KEY, token),
	forget: () => sessionStorage.clear(),
};

// The token to start with. A link pairs a tab that has no token. Anyone can make a link, so it
// replaces a token only after the user has agreed.
function tokenOfLink() {
	const [token] = location.hash.match(TOKEN) ?? [];
	const own = storedToken.read();
	if (location.hash)
		history.replaceState(null, '', location.pathname);
	if (token && own && token !== own)
		askToReplace(token);
	else if (token)
		storedToken.write(token);
	return storedToken.read();
}

function askToReplace(token) {
	const dialog = make('dialog', { 'aria-labelledby': 'replace-token', onclose: () =>
		dialog.remove() },
		make('p', { id: 'replace-token' }, 'Replace the token of this page?'),
		make('p.note', 'Whoever made this link could see what you do with its token. Replace ' +
			'only if you have just opened a link from your own phone.'),
		make('div.buttons',
			make('button', { onclick: () => dialog.close() }, 'Keep mine'),
			make('button.danger', { onclick: () => {
				storedToken.forget();
				storedToken.write(token);
				location.reload();
			} }, 'Replace')));
	document.body.append(dialog);
	dialog.showModal();
}

function pairingView(hadToken, use) {
	const token = make('input', { id: 'token', type: 'password', autocomplete: 'off',
		required: true, spellcheck: 'false', placeholder: '64 letters and digits' });
	const said = make('p.bad', { role: 'alert' }, hadToken
		? 'The phone no longer accepts the token of this page.' : '');
	return make('section.pane.pairing', { 'aria-label': 'Pair this page' },
		make('h2', 'Pair this page'),
		make('p', 'On the phone, run'),
		make('pre', 'sudo ofono-mcp pair --qr --scope read,send,admin my-browser'),
		make('p', 'and open the console link that it prints, or scan its QR code. ' +
			'Without the scope admin, this page cannot approve messages.'),
		make('form', { onsubmit: (event) => {
			event.preventDefault();
			const [found] = token.value.match(TOKEN) ?? [];	// also within a whole link
			if (found)
				use(found);
			else
				setText(said, 'That is not a token: a token has 64 letters and digits.');
		} }, make('label', { for: 'token' }, 'Or paste the token'), token,
			make('button.primary', 'Use this token'), said));
}

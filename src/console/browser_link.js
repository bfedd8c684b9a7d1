// SPDX-License-Identifier: GPL-2.0-or-later
// The gateway as a page in a browser reaches it: MCP 2026-07-28 over HTTP at the page's own
// origin, with a token. Changes come on a listen stream that stays open; without one that
// talks (it says something every 15 s) it is opened again, and all is read anew.

const MCP_VERSION = '2026-07-28';
const MCP_META = {
	'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
	'io.modelcontextprotocol/clientInfo': { name: 'ofono-mcp-console', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': {},
};
const SILENCE_MS = 40000, USUAL_SILENCE_MS = 20000;
const RETRY_MS = [500, 1000, 2000, 5000, 15000, 30000];
const WATCHED = ['sms://inbox', 'sms://status', 'sms://subscriptions'];

// The data of each event of a stream of server-sent events.
async function* eventsOf(body, heard = () => {}) {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let text = '';
	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			return;
		heard();
		text += value;
		const events = text.split(/\r?\n\r?\n/);
		text = events.pop();
		for (const event of events) {
			const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
				.map((line) => line.slice(5).trimStart()).join('\n');
			if (data)
				yield JSON.parse(data);
		}
	}
}

class BrowserLink extends Link {
	isHosted = false;
	#token;
	#id = 0;
	#stream = null;			// ends the one that is open
	#wake = () => {};		// ends the pause before the next
	#failures = 0;
	#heard = 0;			// when the stream last said something
	#ended = false;
	// The pages of one browser: it opens no more than six connections to one gateway, and
	// each stream is one. So a page that nobody looks at leaves its own to one that opens.
	#others = new BroadcastChannel('ofono-mcp-stream');

	constructor(token) {
		super();
		this.#token = token;
	}

	start() {
		window.ononline = () => this.#again();
		window.onoffline = () => this.#stream?.abort();
		document.addEventListener('visibilitychange', () => document.hidden || this.#again());
		this.#others.onmessage = () => document.hidden && this.#stream?.abort();
		this.#follow();
	}

	end() {
		this.#ended = true;
		this.#stream?.abort();
		this.#wake();
	}

	async openLink(url) {
		open(url, '_blank', 'noopener,noreferrer');
		return true;
	}

	async #post(method, params, signal) {
		const headers = {
			'Content-Type': 'application/json',
			Accept: 'application/json, text/event-stream',
			'MCP-Protocol-Version': MCP_VERSION,
			'Mcp-Method': method,
		};
		const name = params.name ?? params.uri;
		if (name)
			headers['Mcp-Name'] = name;
		if (this.#token)
			headers.Authorization = `Bearer ${this.#token}`;
		const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method,
			params: { ...params, _meta: MCP_META } });
		if (this.#ended)
			throw new Unpaired();
		const response = await fetch('mcp', { method: 'POST', headers, body, signal,
			cache: 'no-store', credentials: 'omit', redirect: 'error' })
			.catch(() => { throw this.#noAnswer('The phone does not answer.'); });
		if (response.status !== 401)
			return response;
		this.end();
		this.onstate('unpaired');
		throw new Unpaired();
	}

	// With a stream that is new everything is read again.
	#noAnswer(words) {
		this.#stream?.abort();
		return new NoAnswer(words);
	}

	async ask(method, params) {
		const patience = new AbortController();
		const timer = setTimeout(() => patience.abort(), SILENCE_MS);
		const response = await this.#post(method, params, patience.signal);
		let answer = {};
		try {
			if (response.headers.get('Content-Type') === 'text/event-stream') {
				for await (const message of eventsOf(response.body))
					answer = message;
			} else {
				answer = await response.json();
			}
		} catch {
			throw this.#noAnswer('The answer of the phone was cut off.');
		} finally {
			clearTimeout(timer);
		}
		if (!answer.result)
			throw new ToolError(answer.error?.message ??
				`The phone answered with ${response.status}.`,
				answer.error?.data?.error);
		return answer.result;
	}

	async #follow() {
		while (!this.#ended) {
			try {
				await this.#listen();
			} catch {}
			if (this.#ended)
				return;
			this.onstate('lost');
			await this.#pause();
		}
	}

	// Until it ends, whoever ends it.
	async #listen() {
		const stream = this.#stream = new AbortController();
		const began = Date.now();
		let silence;
		const heard = () => {
			clearTimeout(silence);
			silence = setTimeout(() => stream.abort(), SILENCE_MS);
			this.#heard = Date.now();
		};
		heard();
		this.#others.postMessage(0);
		try {
			const response = await this.#post('subscriptions/listen', { notifications:
				{ toolsListChanged: true, resourceSubscriptions: WATCHED } },
				stream.signal);
			if (!response.ok)
				throw new NoAnswer();
			for await (const message of eventsOf(response.body, heard)) {
				if (message.method?.endsWith('/acknowledged'))
					this.onstate('live');
				if (message.method)
					this.onchange();
			}
		} finally {
			clearTimeout(silence);
			this.#stream = null;
			if (Date.now() - began > SILENCE_MS)
				this.#failures = 0;
		}
	}

	// A page that nobody looks at waits until somebody does.
	#pause() {
		const wait = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)];
		return new Promise((resolve) => {
			const timer = !document.hidden
				? setTimeout(resolve, wait * (0.75 + Math.random() / 2)) : 0;
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}

	// Somebody looks again, or there is a network again. No clock but the wall's runs while
	// a computer sleeps.
	#again() {
		this.#failures = 0;
		if (Date.now() - this.#heard > USUAL_SILENCE_MS)
			this.#stream?.abort();
		this.#wake();
	}
}

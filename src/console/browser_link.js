// SPDX-License-Identifier: GPL-2.0-or-later
// Reaches the gateway from a page in a browser: MCP 2026-07-28 over HTTP at the page's own origin,
// with a token. Changes arrive on a listen stream. The gateway sends something on it every 15 s;
// when it falls silent, the stream is opened again and everything is read anew.

const MCP_VERSION = '2026-07-28';
const MCP_META = {
	'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
	'io.modelcontextprotocol/clientInfo': { name: 'ofono-mcp-console', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': {},
};
const SILENCE_MS = 40000, USUAL_SILENCE_MS = 20000;
const RETRY_MS = [500, 1000, 2000, 5000, 15000, 30000];
const WATCHED = ['sms://inbox', 'sms://status', 'sms://subscriptions'];

// Yields the data of each server-sent event.
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
	#stream = null;			// aborts the open stream
	#wake = () => {};		// ends the pause before the next stream
	#failures = 0;
	#heard = 0;			// when the stream last received something
	#ended = false;
	// All pages of this browser. It opens at most six connections to one gateway, and each stream
	// is one. So a hidden page gives up its stream when another page opens one.
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

	// Opening a new stream reads everything again.
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
			throw this.#noAnswer('The answer from the phone was cut off.');
		} finally {
			clearTimeout(timer);
		}
		if (!answer.result)
			throw new ToolError(answer.error?.message ??
				`The phone answered with status ${response.status}.`,
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

	// Runs until either side ends the stream.
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

	// A hidden page waits until it is visible again.
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

	// The page is visible again, or the network is back. Only the wall clock runs while a computer
	// sleeps, so compare that.
	#again() {
		this.#failures = 0;
		if (Date.now() - this.#heard > USUAL_SILENCE_MS)
			this.#stream?.abort();
		this.#wake();
	}
}

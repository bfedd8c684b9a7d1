// SPDX-License-Identifier: GPL-2.0-or-later
// Reaches the gateway from an MCP App: by messages to the host that frames it (MCP Apps 2026-01-26),
// which calls the tools with its own token. Hosts do not forward resource updates, so a call of
// get_gateway_status waits for the next change.

const APPS_VERSION = '2026-01-26';
const WAIT_SECONDS = 25;		// hosts give up a call after 60
const PATIENCE_MS = 120000;		// some ask the user before they forward a call
const MUTE_MS = 5000;
const HOST_RETRY_MS = 3000, HOST_RETRY_MOST_MS = 60000;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const TOOL_FAILED = -32603;

class HostLink extends Link {
	isHosted = true;
	oncontext = () => {};		// changes of the host's theme, locale, size
	capabilities = {};		// of the host
	oninput = () => {};
	onresult = () => {};
	oncancelled = () => {};
	tools = null;			// AppTools: what this page offers
	#id = 0;
	#waiting = new Map();
	#ended = false;
	#cursor = '';
	#resume = () => {};

	#requests = {
		ping: () => ({}),
		'ui/resource-teardown': () => {
			this.#ended = true;
			this.#resume();
			return {};
		},
		'tools/list': (params) => this.tools.list(params),
		'tools/call': (params) => this.tools.call(params),
	};

	#notifications = {
		'ui/notifications/tool-input':
			({ arguments: input }) => this.oninput(Object(input), true),
		'ui/notifications/tool-input-partial':
			({ arguments: input }) => this.oninput(Object(input), false),
		'ui/notifications/tool-result': (result) => this.onresult(result),
		'ui/notifications/tool-cancelled': ({ reason }) => this.oncancelled(reason),
		'ui/notifications/host-context-changed': (context) => this.oncontext(context),
	};

	// Requests of the host are answered from the start. A host that refuses the handshake, or says
	// nothing about itself, may still forward calls.
	async start() {
		addEventListener('message', (event) => this.#hear(event));
		document.addEventListener('visibilitychange', () => this.#resume());
		const mute = setTimeout(() => this.onstate('lost'), MUTE_MS);
		const answer = await this.#ask('ui/initialize', {
			appInfo: { name: 'ofono-mcp-console', title: 'Phone', version: '1' },
			appCapabilities: { tools: { listChanged: true },
				availableDisplayModes: ['inline', 'fullscreen', 'pip'] },
			protocolVersion: APPS_VERSION,
		}).catch(() => {});
		clearTimeout(mute);
		this.capabilities = answer?.hostCapabilities ?? {};
		this.oncontext(answer?.hostContext ?? {});
		this.#tell('ui/notifications/initialized');
		this.onchange();
		this.#follow();
	}

	async readResource(uri) {
		if (!this.capabilities.serverResources)
			throw new NoAnswer();
		return super.readResource(uri);
	}

	// Whether the host opened it.
	async openLink(url) {
		const answer = await this.ask('ui/open-link', { url }).catch(() => null);
		return Boolean(answer) && !answer.isError;
	}

	toolsChanged() {
		this.#tell('notifications/tools/list_changed');
	}

	sizeChanged(size) {
		this.#tell('ui/notifications/size-changed', size);
	}

	#send(message) {
		parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
	}

	#tell(method, params = {}) {
		this.#send({ method, params });
	}

	#ask(method, params) {
		const id = ++this.#id;
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, { resolve, reject });
			this.#send({ id, method, params });
		});
	}

	ask(method, params) {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(new NoAnswer('The host does not answer.')),
				PATIENCE_MS);
			this.#ask(method, params).then(resolve, reject).finally(() =>
				clearTimeout(timer));
		});
	}

	#hear({ source, data }) {
		if (source !== parent || data?.jsonrpc !== '2.0')
			return;
		const { id, method, params } = data;
		if (method === undefined)
			this.#settle(data);
		else if (id !== undefined)
			this.#answer(data);
		else if (Object.hasOwn(this.#notifications, method))
			this.#notifications[method](Object(params));
	}

	#settle({ id, result, error }) {
		const { resolve, reject } = this.#waiting.get(id) ?? {};
		this.#waiting.delete(id);
		if (error)
			reject?.(new ToolError(error.message, error.data?.error));
		else
			resolve?.(result);
	}

	async #answer({ id, method, params }) {
		const known = Object.hasOwn(this.#requests, method);
		try {
			if (!known)
				throw Object.assign(new Error(`Method not found: ${method}`),
					{ rpcCode: METHOD_NOT_FOUND });
			this.#send({ id, result: await this.#requests[method](Object(params)) });
		} catch (error) {
			this.#send({ id, error: { code: error.rpcCode ?? TOOL_FAILED,
				message: error.message } });
		}
	}

	async #follow() {
		let wait = HOST_RETRY_MS;
		while (!this.#ended) {
			await this.#visible();
			if (this.#ended)
				return;
			try {
				await this.#next();
				wait = HOST_RETRY_MS;
			} catch {
				this.#cursor = '';	// read everything anew; the gateway may have restarted
				this.onstate('lost');
				await new Promise((resolve) => setTimeout(resolve, wait));
				wait = Math.min(wait * 2, HOST_RETRY_MOST_MS);
			}
		}
	}

	async #next() {
		const waits = this.#cursor ? { after: this.#cursor, wait_seconds: WAIT_SECONDS } : {};
		const { cursor } = await this.callTool('get_gateway_status', waits);
		this.onstate('live');
		if (cursor !== this.#cursor && !this.#ended)
			this.onchange();
		this.#cursor = cursor;
	}

	#visible() {
		if (!document.hidden)
			return null;
		return new Promise((resolve) => { this.#resume = resolve; });
	}
}

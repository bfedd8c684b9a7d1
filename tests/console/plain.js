// SPDX-License-Identifier: GPL-2.0-or-later
// A host of MCP Apps written from the text of 2026-01-26 alone, without any SDK, that can
// be as odd as a test wants: late, mute, without this or that. `window.host` is for the test.

const URI = 'ui://ofono-mcp/console';
const VERSION = '2026-07-28';
const INFO = { name: 'plain-host', version: '1' };
const META = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
};

const host = window.host = {
    heard: [],              // every message of the page
    asks: 0, answered: 0,   // of the gateway
    late: [],               // what is answered when the test says so
    answers: {},            // by method: what the test answers in the gateway's place
    asked: new Map(),
    lastId: 0,

    // `mute` are methods that get no answer, `hold` those that get one later.
    async show({ url, token, capabilities = { serverTools: {}, serverResources: {} },
        context = {}, mute = [], hold = [], refuse = {}, answers = {}, height }) {
        Object.assign(this, { url, token, capabilities, context, mute, hold, refuse, answers });
        const { contents: [page] } = await this.gateway('resources/read', { uri: URI });
        this.frame = document.createElement('iframe');
        this.frame.title = 'An app';
        this.frame.setAttribute('sandbox', 'allow-scripts');
        if (height)
            this.frame.style.height = `${height}px`;
        this.frame.srcdoc = page.text;
        const spoke = new Promise(resolve => addEventListener('message', event => {
            this.hear(event);
            resolve();
        }));
        document.body.append(this.frame);
        await spoke;
    },

    async gateway(method, params) {
        const name = params.name ?? params.uri;
        const response = await fetch(this.url, { method: 'POST', headers: {
            'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
            'MCP-Protocol-Version': VERSION, 'Mcp-Method': method,
            ...(name ? { 'Mcp-Name': name } : {}), Authorization: `Bearer ${this.token}`,
        }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method,
            params: { ...params, _meta: META } }) });
        const text = await response.text();
        const lines = text.split('\n').filter(line => line.startsWith('data: {'));
        const { result, error } = JSON.parse(lines.length ? lines.at(-1).slice(6) : text);
        if (error)
            throw error;
        return result;
    },

    async pass(method, params) {
        this.asks++;
        return this.gateway(method, params).finally(() => { this.answered++; });
    },

    initialize() {
        return { protocolVersion: '2026-01-26', hostInfo: INFO,
            hostCapabilities: this.capabilities, hostContext: this.context };
    },

    async hear({ source, data }) {
        if (source !== this.frame.contentWindow)
            return;
        this.heard.push(data);
        if (!data.method)
            return this.asked.get(data.id)?.(data);
        if (data.id === undefined)
            return;
        if (this.hold.includes(data.method))
            this.late.push(data);
        else if (!this.mute.includes(data.method))
            await this.answer(data);
    },

    async answer({ id, method, params }) {
        try {
            if (this.refuse[method])
                throw this.refuse[method];
            const result = method in this.answers ? this.answers[method]
                : method === 'ui/initialize' ? this.initialize()
                : await this.pass(method, params);
            this.raw({ jsonrpc: '2.0', id, result });
        } catch (error) {
            this.raw({ jsonrpc: '2.0', id, error: { code: error.code ?? -32000,
                message: error.message ?? 'The gateway does not answer' } });
        }
    },

    release() {
        this.hold = [];
        this.late.splice(0).forEach(data => this.answer(data));
    },

    raw(data) {
        this.frame.contentWindow?.postMessage(data, '*');
    },

    tell(method, params = {}) {
        this.raw({ jsonrpc: '2.0', method, params });
    },

    // The whole answer, error or not.
    ask(method, params = {}) {
        const id = `host-${++this.lastId}`;
        return new Promise((resolve, reject) => {
            this.asked.set(id, resolve);
            setTimeout(() => reject(new Error(`${method}: no answer`)), 20000);
            this.raw({ jsonrpc: '2.0', id, method, params });
        });
    },

    methods() {
        return this.heard.map(({ method }) => method).filter(Boolean);
    },
};

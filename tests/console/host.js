// SPDX-License-Identifier: GPL-2.0-or-later
// A host of MCP Apps: an MCP client of the gateway with the official SDK, and the official
// AppBridge between it and the page of a tool. `window.host` is for the test.

import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const UI = 'io.modelcontextprotocol/ui';
const INFO = { name: 'test-host', version: '1' };

async function connect({ url, token, mode }) {
    const client = new Client(INFO, { versionNegotiation: { mode },
        capabilities: { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    return client;
}

function frameOf(csp) {
    const frame = document.createElement('iframe');
    frame.title = 'Sandbox';
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
    frame.src = `${document.body.dataset.sandbox}/?csp=${encodeURIComponent(JSON.stringify(csp))}`;
    return frame;
}

const host = window.host = {
    sizes: [], opened: [], listsChanged: 0, gone: false,

    // Calls a tool and shows its page, as for an agent. `context` is the host context.
    async show({ url, token, mode = 'auto', tool, input, context = {}, sandbox }) {
        this.client = await connect({ url, token, mode });
        const { tools } = await this.client.listTools();
        const entry = tools.find(({ name }) => name === tool);
        const { contents: [page] } = await this.client.readResource(
            { uri: entry._meta.ui.resourceUri });
        const frame = frameOf(page._meta.ui.csp);
        this.page = { type: page.mimeType, meta: page._meta };
        document.querySelector('main').append(frame);
        const bridge = this.bridge = new AppBridge(this.client, INFO, {
            serverTools: { listChanged: true }, serverResources: {}, openLinks: {} },
            { hostContext: { theme: 'light', displayMode: 'inline',
                toolInfo: { tool: entry }, ...context } });
        if (context.theme)
            document.body.dataset.theme = context.theme;
        bridge.onsizechange = size => {
            this.sizes.push(size);
            frame.style.height = `${size.height}px`;
        };
        bridge.onopenlink = async ({ url: link }) => { this.opened.push(link); return {}; };
        bridge.fallbackNotificationHandler = async ({ method }) => {
            this.listsChanged += method === 'notifications/tools/list_changed';
        };
        const initialized = new Promise(resolve => { bridge.oninitialized = resolve; });
        const ready = new Promise(resolve => { bridge.onsandboxready = resolve; });
        await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
        await ready;
        await bridge.sendSandboxResourceReady({ html: page.text, sandbox,
            csp: page._meta.ui.csp });
        await initialized;
        await bridge.sendToolInput({ arguments: input });
        this.result = await this.client.callTool({ name: tool, arguments: input });
        await bridge.sendToolResult(this.result);
        return this.result;
    },

    async names() {
        return (await this.bridge.listTools({})).tools.map(({ name }) => name);
    },

    call(name, input) {
        return this.bridge.callTool({ name, arguments: input });
    },

    async remove() {
        await this.bridge.teardownResource({});
        document.querySelector('iframe').remove();
        this.gone = true;
    },
};

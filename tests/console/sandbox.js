// SPDX-License-Identifier: GPL-2.0-or-later
// The proxy of MCP Apps: shows the page that the host gives it, and passes on what both say.

const READY = 'ui/notifications/sandbox-proxy-ready';
const RESOURCE = 'ui/notifications/sandbox-resource-ready';
const inner = document.createElement('iframe');

addEventListener('message', ({ source, data }) => {
    if (source === inner.contentWindow) {
        parent.postMessage(data, '*');
    } else if (source === parent && data.method === RESOURCE) {
        inner.title = 'An app';
        inner.setAttribute('sandbox', data.params.sandbox ?? 'allow-scripts');
        inner.srcdoc = data.params.html;
        document.body.append(inner);
    } else if (source === parent) {
        inner.contentWindow?.postMessage(data, '*');
    }
});
parent.postMessage({ jsonrpc: '2.0', method: READY, params: {} }, '*');

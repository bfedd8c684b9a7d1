// SPDX-License-Identifier: GPL-2.0-or-later
// A host of MCP Apps as two web sites: its own page, and on another origin the proxy in
// which it shows what is not its own, under the policy that the resource asked for.

import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildSync } from 'esbuild';

// As MCP Apps 2026-01-26 has it for a resource that names no domain.
export function policyOf({ connectDomains = [], resourceDomains = [], frameDomains = [],
    baseUriDomains = [] }) {
    const own = domains => ["'self'", ...domains].join(' ');
    const only = domains => domains.join(' ') || "'none'";
    return [
        "default-src 'none'",
        `script-src ${own(resourceDomains)} 'unsafe-inline'`,
        `style-src ${own(resourceDomains)} 'unsafe-inline'`,
        `img-src ${own(resourceDomains)} data:`,
        `media-src ${own(resourceDomains)} data:`,
        `font-src ${own(resourceDomains)}`,
        `connect-src ${only(connectDomains)}`,
        `frame-src ${only(frameDomains)}`,
        "object-src 'none'",
        `base-uri ${only(baseUriDomains)}`,
    ].join('; ');
}

function serve(name, pages) {
    const server = createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url, 'http://x');
        const { status = 200, headers = {}, body } =
            pages[pathname]?.(searchParams) ?? { status: 404, body: '' };
        response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers });
        response.end(body);
    });
    return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(
        { url: `http://${name}:${server.address().port}`, close: () => server.close() })));
}

const script = body => ({ headers: { 'Content-Type': 'text/javascript' }, body });

export async function serveHost(folder) {
    const file = name => readFileSync(join(folder, name), 'utf8');
    const [bundle] = buildSync({ entryPoints: [join(folder, 'host.js')], bundle: true,
        format: 'esm', write: false, logLevel: 'error' }).outputFiles;
    const proxy = await serve('localhost', {
        '/': search => ({ body: file('sandbox.html'), headers: { 'Content-Security-Policy':
            policyOf(JSON.parse(search.get('csp'))) } }),
        '/sandbox.js': () => script(file('sandbox.js')),
    });
    const host = await serve('127.0.0.1', {
        '/': () => ({ body: file('host.html').replace('SANDBOX', proxy.url) }),
        '/host.js': () => script(bundle.text),
        '/plain.html': () => ({ body: file('plain.html') }),
        '/plain.js': () => script(file('plain.js')),
    });
    return { url: host.url, close: () => { host.close(); proxy.close(); } };
}

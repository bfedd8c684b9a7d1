// SPDX-License-Identifier: GPL-2.0-or-later
// node browser.mjs CHROMIUM FOLDER PATIENCE_MS: a Chromium, told by lines of JSON on its input what to do:
//     {"tab": 1, "open": {...}}                      a tab of its own, with these options
//     {"tab": 1, "do": "return page.url()", "args": {}}   the body of an async function with
//         page, context, args, axe, complaints; and where the console is, alone or in a host:
//         view() to locate in, frame() to evaluate in
//     {"tab": 1, "close": true}
// Each is answered by one line: {"result": ...} or {"error": "..."}. The first line, before
// any is asked for, is {"result": {"host": URL}}: where the host of MCP Apps is.

import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';

import { chromium } from 'playwright-core';

import { serveHost } from './serve_host.mjs';

const [program, folder, patience] = process.argv.slice(2);
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const AsyncFunction = (async () => {}).constructor;
const tabs = new Map();

// Warnings about a page are Chromium's own, and each version has others. What our code writes has
// a place in it: the console, and the host that the tests serve.
function isOurs(message) {
    return message.args().length > 0 && message.location().url !== '';
}

// What a page says to its console that it should not have to say.
function listen(page, complaints) {
    page.on('console', message => {
        if (message.type() === 'error' || message.type() === 'warning' && isOurs(message))
            complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(String(error)));
    page.on('dialog', dialog => {
        complaints.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
}

async function open(browser, tab, options) {
    const context = await browser.newContext(options);
    const complaints = [];
    context.setDefaultTimeout(Number(patience));
    context.on('page', page => listen(page, complaints));
    tabs.set(tab, { context, page: await context.newPage(), complaints });
}

async function obey(browser, { tab, open: options, do: body, args, close }) {
    if (options)
        return open(browser, tab, options);
    const { context, page, complaints } = tabs.get(tab);
    if (close) {
        tabs.delete(tab);
        return context.close();
    }
    const isHosted = () => page.url().startsWith(host.url);
    const framed = () => page.frameLocator('iframe');
    const view = () => !isHosted() ? page
        : page.url().endsWith('/plain.html') ? framed() : framed().frameLocator('iframe');
    const frame = () => isHosted() ? page.frames().at(-1) : page.mainFrame();
    const given = { page, context, args, axe, complaints, view, frame };
    const act = new AsyncFunction(...Object.keys(given), body);
    return await act(...Object.values(given)) ?? null;
}

function say(what) {
    process.stdout.write(JSON.stringify(what) + '\n');
}

const host = await serveHost(folder);
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox',
    '--disable-dev-shm-usage', '--disable-gpu', '--no-first-run',
    '--disable-background-networking', '--disable-sync', '--disable-component-update',
    '--host-resolver-rules=MAP *.test 127.0.0.1'] });
say({ result: { host: host.url } });
for await (const line of createInterface({ input: process.stdin })) {
    try {
        say({ result: await obey(browser, JSON.parse(line)) ?? null });
    } catch (error) {
        say({ error: error.stack ?? String(error) });
    }
}
await browser.close();
host.close();
process.exit(0);

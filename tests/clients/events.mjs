// SPDX-License-Identifier: GPL-2.0-or-later
// node events.mjs URL: the official TypeScript client of MCP 2026-07-28 with events, told by
// lines of JSON on its input what to do:
//     {"request": {"method": ..., "params": ...}}
//     {"open": {...params}}    events/stream, answered when it is active
//     {"heard": {}}            the next notification, when it is there
//     {"abort": {}}            ends the stream, answered when the client is done with it
// Each is answered by one line: {"result": ...} or {"error": {"code", "message"}}. The first
// line has the capabilities of the server.

import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';

const any = z.looseObject({});
const client = new Client({ name: 'ofono-mcp-tests', version: '1' },
                          { versionNegotiation: { mode: 'auto' } });
const come = [], waiting = [];
let stream, abort;

function next() {
    return come.length ? come.shift() : new Promise(resolve => waiting.push(resolve));
}

for (const word of ['active', 'event', 'heartbeat', 'error', 'terminated'])
    client.setNotificationHandler('notifications/events/' + word, { params: any }, params => {
        const told = { word, params };
        waiting.length ? waiting.shift()(told) : come.push(told);
    });

const ACTS = {
    request: ({ method, params }) => client.request({ method, params }, any),
    open: params => {
        abort = new AbortController();
        stream = client.request({ method: 'events/stream', params }, any,
                                { signal: abort.signal, timeout: 600000 })
            .then(() => 'answered', error => error.message);
        return next();
    },
    heard: next,
    abort: async () => { abort.abort(); return { end: await stream }; },
};

async function outcome(act) {
    try {
        return { result: await act() };
    } catch (error) {
        return { error: { code: error.code ?? null, message: error.message } };
    }
}

function say(what) {
    process.stdout.write(JSON.stringify(what) + '\n');
}

await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
say({ result: client.getServerCapabilities() });
for await (const line of createInterface({ input: process.stdin })) {
    const [[act, params]] = Object.entries(JSON.parse(line));
    say(await outcome(() => ACTS[act](params)));
}
await client.close();
process.exit();

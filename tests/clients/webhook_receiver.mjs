// SPDX-License-Identifier: GPL-2.0-or-later
// webhook_receiver.mjs URL TOKEN PORT: the official client lists, polls and streams events; Vercel's AI SDK
// subscribes with a receiver on PORT and verifies what is posted, and so does standardwebhooks.
//
// Prints a line of JSON for each step; messages should arrive after "stream" and "webhook".

import http from 'node:http';
import { experimental_createMCPEventWebhook as createWebhook, createMCPClient } from '@ai-sdk/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const [url, token, port] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };
const any = z.looseObject({});
const name = 'sms.received';

function say(step, more = {}) {
    console.log(JSON.stringify({ step, ...more }));
}

// The next value passed to `give`.
function latch() {
    const one = {};
    one.value = new Promise(resolve => { one.give = resolve; });
    return one;
}

const client = new Client({ name: 'probe', version: '0' },
                          { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url),
                                                       { requestInit: { headers } }));
const rpc = (method, params = {}, options) => client.request({ method, params }, any, options);

const { events: types } = await rpc('events/list');
const { cursor } = await rpc('events/poll', { name, cursor: null });
say('list', { names: types.map(type => type.name),
              webhook: types.find(type => type.name === name).delivery.includes('webhook') });

// push, then the same event by poll
const streamed = latch();
for (const kind of ['active', 'event', 'heartbeat', 'error', 'terminated'])
    client.setNotificationHandler(`notifications/events/${kind}`, { params: any }, params => {
        if (kind === 'active')
            say('stream');
        if (kind === 'event')
            streamed.give(params);
    });
const abort = new AbortController();
const stream = rpc('events/stream', { name, cursor }, { signal: abort.signal, timeout: 6e5 })
    .catch(() => {});
const pushed = await streamed.value;
abort.abort();
await stream;
const polled = await rpc('events/poll', { name, cursor, maxEvents: 1 });
say('poll', { pushed: pushed.eventId, polled: polled.events[0].eventId });

// webhook
const kept = new Map();
const store = {
    get: async key => kept.get(key),
    getById: async id => [...kept.values()].find(one => one.id === id),
    delete: async key => kept.delete(key),
    set: async one => kept.set(one.key, one),
    update: async (key, value) => kept.set(key, { ...kept.get(key), ...value }),
};
const received = latch();
const posts = [];
const handle = createWebhook({ store, onEvent: async one => received.give(one.event) });
http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const answer = await handle(new Request(`http://127.0.0.1:${port}${request.url}`, {
        method: 'POST', headers: request.headers, body }));
    posts.push({ headers: request.headers, body: body.toString(), status: answer.status });
    response.writeHead(answer.status).end(await answer.text());
}).listen(Number(port), '127.0.0.1');
const ai = await createMCPClient({ transport: { type: 'http', url, headers },
                                   experimental_events: { store } });
const events = ai.experimental_events;
const subscribed = await events.subscribe({ name, delivery: {
    mode: 'webhook', url: `http://127.0.0.1:${port}/h`, allowInsecureLocalhost: true } });
const [{ key }] = kept.values();
const secret = [...kept.values()][0].secret ?? [...kept.values()][0].delivery?.secret;
say('webhook');
const event = await received.value;
await events.refresh({ key });
await events.unsubscribe({ key });
const last = posts.at(-1);
const verified = secret ? new Webhook(secret).verify(last.body, last.headers) : null;
say('done', { id: subscribed?.id ?? null, event: event.eventId, statuses: posts.map(one => one.status),
              verified: verified?.eventId ?? null, left: kept.size });
process.exit(0);

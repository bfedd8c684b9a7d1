// SPDX-License-Identifier: GPL-2.0-or-later
// node talk.mjs KIND URL [TOKEN]: one client, told by lines of JSON on its input what to do:
//     {"list": {}}    {"call": {"name": ..., "arguments": ...}}    {"session": {}}
//     {"progress": {"name": ..., "arguments": ...}}    as call, with all progress that came
//     {"subscribe": {"uri": ...}}                      and to changes of the tools
//     {"heard": {}}                                    the next notification, when it is there
// Each is answered by one line: {"result": ...} or {"error": {"code", "message"}}.
// The first line, before any is asked for, is {"result": {"server", "version",
// "instructions"}}.

import { createInterface } from 'node:readline';

import { call, connect, subscribe } from './connect.mjs';

const [kind, url, token] = process.argv.slice(2);

// What the server tells of itself, in order; who waits for it takes it.
class Notifications {
    #come = [];
    #waiting = [];

    add({ method, params }) {
        const next = this.#waiting.shift();
        next ? next({ method, params }) : this.#come.push({ method, params });
    }

    next() {
        return this.#come.length ? this.#come.shift()
            : new Promise(resolve => this.#waiting.push(resolve));
    }
}

const notifications = new Notifications();

async function callWithProgress(client, params) {
    const progress = [];
    const result = await call(client, params, { onprogress: one => progress.push(one) });
    return { result, progress };
}

const ACTS = {
    list: client => client.listTools(),
    call: (client, params) => client.callTool(params),
    progress: callWithProgress,
    session: client => ({ id: client.transport.sessionId ?? null }),
    subscribe: async (client, { uri }) => { await subscribe(client, uri); return {}; },
    heard: () => notifications.next(),
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

const client = await connect(kind, url, token);
client.fallbackNotificationHandler = async notification => notifications.add(notification);
say({ result: { server: client.getServerVersion()?.name ?? null,
                version: client.getNegotiatedProtocolVersion?.() ?? null,
                instructions: client.getInstructions() ?? null } });
for await (const line of createInterface({ input: process.stdin })) {
    const [[name, params]] = Object.entries(JSON.parse(line));
    say(await outcome(() => ACTS[name](client, params)));
}
await client.close();
process.exit(0);

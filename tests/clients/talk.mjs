// SPDX-License-Identifier: GPL-2.0-or-later
// node talk.mjs KIND URL: one client, told by lines of JSON on its input what to do:
//     {"list": {}}    {"call": {"name": ..., "arguments": ...}}
// Each is answered by one line: {"result": ...} or {"error": {"code", "message"}}.
// The first line, before any is asked for, is {"result": {"server", "version"}}.

import { createInterface } from 'node:readline';

import { connect } from './connect.mjs';

const [kind, url] = process.argv.slice(2);

const ACTS = {
    list: client => client.listTools(),
    call: (client, params) => client.callTool(params),
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

const client = await connect(kind, url);
say({ result: { server: client.getServerVersion()?.name ?? null,
                version: client.getNegotiatedProtocolVersion?.() ?? null } });
for await (const line of createInterface({ input: process.stdin })) {
    const [[name, params]] = Object.entries(JSON.parse(line));
    say(await outcome(() => ACTS[name](client, params)));
}
await client.close();
process.exit(0);

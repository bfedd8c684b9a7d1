// SPDX-License-Identifier: GPL-2.0-or-later
// node crowd.mjs COUNT URL: that many clients of the SDKs at once, of every kind that needs
// no process of its own. Prints one line: {"connected", "listed", "called"}.

import { connect, kinds } from './connect.mjs';

const [count, url] = [Number(process.argv[2]), process.argv[3]];

const clients = await Promise.all(
    Array.from({ length: count }, (_, i) => connect(kinds[i % kinds.length], url)));
const lists = await Promise.all(clients.map(client => client.listTools()));
const calls = await Promise.all(clients.map(
    client => client.callTool({ name: 'get_sms_subscriptions', arguments: {} })));
console.log(JSON.stringify({
    connected: clients.length,
    listed: lists.filter(list => list.tools[0].name === 'send_sms').length,
    called: calls.filter(call => call.structuredContent.count === 2).length,
}));
await Promise.all(clients.map(client => client.close()));
process.exit(0);

// SPDX-License-Identifier: GPL-2.0-or-later
// node server.mjs PORT: a server of the official SDK as its documentation builds one, with
// tools that answer at once.  stdin: [{"tool": its definition, "result": its answer}].

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { localhostHostValidation, localhostOriginValidation, toNodeHandler }
    from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';

const port = Number(process.argv[2]);
const tools = JSON.parse(await text(process.stdin)).map(
    ({ tool: { name, inputSchema, outputSchema, ...told }, result }) => [name, {
        ...told,
        inputSchema: fromJsonSchema(inputSchema),
        outputSchema: fromJsonSchema(outputSchema),
    }, async () => result]);

function server() {
    const one = new McpServer({ name: 'peer', version: '1' });
    for (const [name, told, answer] of tools)
        one.registerTool(name, told, answer);
    return one;
}

const handler = toNodeHandler(createMcpHandler(server));
const isHost = localhostHostValidation();
const isOrigin = localhostOriginValidation();
createServer((request, response) => {
    if (isHost(request, response) && isOrigin(request, response))
        handler(request, response);
}).listen(port, '127.0.0.1', () => console.log('ready'));

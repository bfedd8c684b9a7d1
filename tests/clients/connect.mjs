// SPDX-License-Identifier: GPL-2.0-or-later
// The clients of MCP's own SDKs, each made to speak to a gateway.

import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 }
    from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { fileURLToPath } from 'node:url';

const INFO = { name: 'ofono-mcp-tests', version: '1' };
const CAPABILITIES = { elicitation: { form: {} } };
const MODERN = '2026-07-28';
// As they are, but more patient with a gateway that restarts on a busy machine.
const OPTIONS = { reconnectionOptions: {
    initialReconnectionDelay: 1000, maxReconnectionDelay: 30000,
    reconnectionDelayGrowFactor: 1.5, maxRetries: 10 } };

function options(token) {
    return token ? { ...OPTIONS, requestInit: { headers: bearer(token) } } : OPTIONS;
}

function bearer(token) {
    return { Authorization: `Bearer ${token}` };
}

// A person who takes the last of the choices.
function answer({ params }) {
    const fields = Object.entries(params.requestedSchema.properties);
    const chosen = fields.map(([name, field]) => [name, field.oneOf.at(-1).const]);
    return { action: 'accept', content: Object.fromEntries(chosen) };
}

function v1() {
    const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
    client.setRequestHandler(ElicitRequestSchema, answer);
    return client;
}

function v2(mode) {
    const client = new Client(INFO, {
        capabilities: CAPABILITIES, versionNegotiation: { mode } });
    client.setRequestHandler('elicitation/create', answer);
    return client;
}

function throughMcpRemote(url, token) {
    const program = new URL('dist/proxy.js', import.meta.resolve('mcp-remote/package.json'));
    const header = token ? ['--header', `Authorization:${bearer(token).Authorization}`] : [];
    return new StdioClientTransport({
        command: process.execPath,
        args: [fileURLToPath(program), url, '--allow-http', '--transport', 'http-only',
               ...header],
        env: process.env,
        stderr: 'ignore',
    });
}

// Our own bridge, which a client starts.
function throughBridge(Transport) {
    return (url, token) => new Transport({
        command: process.env.OFONO_MCP_PROGRAM,
        args: ['stdio', '--url', url],
        env: token ? { ...process.env, OFONO_MCP_TOKEN: token } : process.env,
    });
}

const KINDS = {
    'sdk-1': { client: v1,
               transport: (url, token) => new HttpV1(new URL(url), options(token)) },
    'sdk-2-legacy': { client: () => v2('legacy') },
    'sdk-2-auto': { client: () => v2('auto') },
    'sdk-2-modern': { client: () => v2({ pin: MODERN }) },
    'mcp-remote': { client: v1, transport: throughMcpRemote, starts: true },
    'stdio-sdk-1': { client: v1, transport: throughBridge(StdioClientTransport), starts: true },
    'stdio-sdk-2-legacy': { client: () => v2('legacy'), transport: throughBridge(StdioV2),
                            starts: true },
    'stdio-sdk-2-auto': { client: () => v2('auto'), transport: throughBridge(StdioV2),
                          starts: true },
};

// Those that start no program.
export const kinds = Object.keys(KINDS).filter(kind => !KINDS[kind].starts);

// Without a token where the gateway asks for none.
export async function connect(kind, url, token = null) {
    const transport = KINDS[kind].transport ?? ((url, token) =>
        new StreamableHTTPClientTransport(new URL(url), options(token)));
    const client = KINDS[kind].client();
    await client.connect(transport(url, token));
    return client;
}

let listening = null;

// To a resource and to the list of tools, as the revision has it: in 2026 in the place of
// what was subscribed to before, for each stream tells of every change.
export async function subscribe(client, uri) {
    if (client.getNegotiatedProtocolVersion?.() !== MODERN) {
        await client.subscribeResource({ uri });
        return;
    }
    await listening?.close();
    listening = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
}

// Version 1 has a schema between parameters and options.
export function call(client, params, options) {
    return client instanceof ClientV1 ? client.callTool(params, undefined, options)
        : client.callTool(params, options);
}

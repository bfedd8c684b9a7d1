// SPDX-License-Identifier: GPL-2.0-or-later
// Why a call failed, in the gateway's own words.

class ToolError extends Error {
	constructor(message, code = '', fix = '') {
		super(fix ? `${message} ${fix}` : message);
		this.code = code;
	}
}

// There was no answer, so the outcome of the call is unknown.
class NoAnswer extends Error {}

// The token is missing, or no client has it.
class Unpaired extends Error {}

const blocks = ({ content }) => (Array.isArray(content) ? content : [])
	.filter((block) => block?.type === 'text').map((block) => String(block.text));

function factsOf(result) {
	try {
		return Object(JSON.parse(blocks(result).at(-1)));
	} catch {
		return {};
	}
}

function errorOf(result) {
	const { message, code, fix } = factsOf(result);
	return new ToolError(message ?? blocks(result)[0] ?? 'The call failed.', code, fix);
}

// The structured content of a result of tools/call, or a ToolError.
function readResult(answer) {
	const result = Object(answer);
	if (result.isError)
		throw errorOf(result);
	return result.structuredContent ?? factsOf(result);
}

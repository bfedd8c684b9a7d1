// SPDX-License-Identifier: GPL-2.0-or-later
// The connection to the gateway, as the rest of the page sees it: callTool, readResource, and
// onchange, which reports that what was read may be out of date.

class Link {
	onchange = () => {};
	onstate = () => {};		// 'live', 'lost', 'unpaired'

	async callTool(name, args = {}) {
		return readResult(await this.ask('tools/call', { name, arguments: args }));
	}

	async readResource(uri) {
		const { contents } = await this.ask('resources/read', { uri });
		return JSON.parse(contents[0].text);
	}
}

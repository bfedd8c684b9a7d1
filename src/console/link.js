// SPDX-License-Identifier: GPL-2.0-or-later
// A way to the gateway, which is all that the rest of the page knows of it: callTool,
// readResource, and onchange, which says that what was read may be of yesterday.

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

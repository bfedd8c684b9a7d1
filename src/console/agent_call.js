// SPDX-License-Identifier: GPL-2.0-or-later
// In a host: the tool call for which it opened this page. The host reports the arguments and the
// result in any order.

class AgentCall {
	#tool = {};
	#input = {};
	#outcome = {};
	#isClosed = false;
	#title;
	#said;

	constructor() {
		this.#title = make('h2');
		this.#said = make('div');
		this.element = make('section.agent-call', { role: 'status',
			'aria-label': 'What the agent did', hidden: true },
			make('div.strip', this.#title, make('button.small', { onclick: () => {
				this.#isClosed = true;
				this.#show();
			} }, 'Close')), this.#said);
	}

	// The called tool; a host may report it late, or not at all.
	set tool(tool) {
		this.#tool = Object(tool);
		this.#show();
	}

	// Arguments that arrive letter by letter are read aloud only when complete.
	ask(input, isWhole) {
		this.element.ariaLive = isWhole ? 'polite' : 'off';
		this.#isClosed &&= !isWhole;
		this.#input = input;
		this.#show();
	}

	set result(result) {
		let words = '';
		if (result.isError)
			words = errorOf(result).message;
		else if (result.structuredContent?.segments)
			[words] = blocks(result);
		this.#outcome = { tone: result.isError ? 'bad' : 'good', words };
		this.#show();
	}

	cancelled(reason) {
		this.#outcome = { tone: 'warn', words: `The call was cancelled. ${reason ?? ''}` };
		this.#show();
	}

	#show() {
		const { to_phone_number: one, to_phone_numbers: all, sms_text: text,
			phone_number: number } = this.#input;
		const { tone, words } = this.#outcome;
		const party = one ?? (Array.isArray(all) ? all.join(', ') : number);
		this.element.hidden = this.#isClosed || !(party || text || words);
		setText(this.#title, `The agent: ${this.#tool.title ?? 'a call'}`);
		say(this.#said, party && make('p', foreign(String(party))),
			words && make(`p.${tone}`, words),
			text && make('blockquote', { dir: 'auto' }, String(text)));
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// In a host: the call for which it opened this page, with what the agent asked for and what
// it was answered, as the host tells both.

class AgentCall {
	#tool = {};
	#input = {};
	#outcome = null;

	constructor() {
		this.element = make('section.agent-call', { role: 'status',
			'aria-label': 'What the agent did', hidden: true });
	}

	// Which of its tools; a host may tell it late, or not at all.
	set tool(tool) {
		this.#tool = tool ?? {};
		this.#show();
	}

	set input(input) {
		this.#input = input;
		this.#show();
	}

	set result(result) {
		const facts = result.structuredContent ?? {};
		const words = result.isError || facts.segments ? blocks(result)[0] : null;
		this.#outcome = { tone: result.isError ? 'bad' : 'good', words };
		this.#show();
	}

	cancelled(reason) {
		this.#outcome = { tone: 'warn', words: `The call was cancelled. ${reason ?? ''}` };
		this.#show();
	}

	#show() {
		const { to_phone_number: to, sms_text: text, phone_number: number } = this.#input;
		const isSend = to !== undefined;
		const { tone, words } = this.#outcome ?? {};
		const close = make('button.small', { onclick: () => {
			this.element.hidden = true;
		} }, 'Close');
		this.element.hidden = !(isSend || number || words);
		this.element.replaceChildren(
			make('div.strip',
				make('h2', `The agent: ${this.#tool.title ?? 'a call'}`), close),
			make('p', foreign(String(to ?? number ?? ''))),
			make(`p.${tone}`, words ?? ''),
			make('blockquote', { dir: 'auto', hidden: !text }, String(text ?? '')));
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The page: its places, what it shows where, and the two ways to reach the gateway.

const PLACES = { messages: 'Messages', approvals: 'Approvals', phone: 'Phone' };
const INLINE_HEIGHT_PX = 600;

class Page {
	#link;
	#phone;
	#view = 'starting';
	#byPerson = false;		// who opened the thread: only a person reads it
	#tools = '';
	#before = history.state;	// where this was when the tab was loaded again
	#buttons = {};

	constructor(link) {
		this.#link = link;
		this.#phone = new Phone(link);
		const openLink = (url) => link.openLink(url);
		this.composer = new Composer(this.#phone);
		this.thread = new ThreadView(this.#phone, this.composer, openLink);
		this.list = new ConversationList(this.#phone, (number) =>
			this.#openThread(number, true));
		this.approvals = new ApprovalsView(this.#phone);
		this.status = new StatusView(this.#phone, link.isHosted ? null : () => this.#forget());
		this.writing = make('section.thread', { 'aria-label': 'New message' },
			make('div.scroll'), make('div'));
		this.agentCall = new AgentCall();
		this.#build();
		this.#phone.onread = () => this.#show();
		this.#phone.onselect = () => this.#selectionChanged();
		this.composer.onsent = (number) => this.#openThread(number, true);
		document.addEventListener('visibilitychange', () => this.#show());
		link.onchange = () => this.#phone.read();
		link.onstate = (state) => this.#connection(state);
	}

	#build() {
		find('back').append(icon('back'));
		find('back').addEventListener('click', () => this.#back());
		find('new').append(icon('write'));
		find('new').addEventListener('click', () => this.#write());
		for (const [place, word] of Object.entries(PLACES)) {
			const badge = make('span.badge');
			const button = make('button', { onclick: () =>
				this.#goTo(place) }, icon(place), word, badge);
			this.#buttons[place] = { button, badge };
			find('places').append(button);
		}
		find('main').before(this.agentCall.element);
	}

	start() {
		this.#place('messages');
		return this.#link.start();
	}

	// ---- places

	#place(view) {
		if (this.#isPairing)
			return;
		this.#view = view;
		document.getElementById('app').dataset.view = view;
		const details = { thread: this.thread.element, new: this.writing,
			approvals: this.approvals.element, phone: this.status.element };
		const detail = details[view] ?? make('p.empty',
			'Choose a conversation, or write a new message.');
		if (find('detail').firstChild !== detail)
			find('detail').replaceChildren(detail);
		find('places').hidden = false;
		find('list').hidden = false;
		this.#show();
	}

	#goTo(place) {
		const { thread } = this.#phone;
		if (place === 'messages' && thread)
			this.#phone.open(null);
		this.#place(place);
		this.#remember();
		this.#announce();
		if (place === 'messages' && thread)
			[...find('conversations').children].find((row) =>
				row.dataset.key === thread.number)?.firstChild.focus();
	}

	async #openThread(number, byPerson) {
		const isOther = this.#phone.thread?.number !== number;
		const isElsewhere = isOther || this.#view !== 'thread';
		this.#byPerson = byPerson;
		const read = isOther ? this.#phone.open(number) : this.#phone.read();
		this.#place('thread');
		if (isOther)
			this.thread.begin();
		this.#remember();
		if (isElsewhere)
			this.#announce();
		await read;
	}

	#write() {
		this.#phone.open(null);
		this.writing.lastChild.append(this.composer.element);
		this.#place('new');
		this.composer.use(null);
		this.composer.focus();
		this.#remember();
	}

	// In a browser the phone's own way back works, too.
	#remember() {
		const view = this.#view, number = view === 'thread' ? this.#phone.thread.number : null;
		const { view: before = 'messages', number: last = null } = history.state ?? {};
		if (!this.#link.isHosted && (view !== before || number !== last))
			history.pushState({ view, number, isBelow: before === 'messages' }, '');
	}

	#back() {
		if (history.state?.isBelow)
			history.back();
		else
			this.#goTo('messages');
	}

	// To who does not see it: the title tells where this is now.
	#announce() {
		find('title').tabIndex = -1;
		find('title').focus({ preventScroll: true });
	}

	wentBack(state) {
		const { view = 'messages', number } = state ?? {};
		if (view === 'thread')
			this.#openThread(number, true);
		else if (view === 'new')
			this.#write();
		else
			this.#goTo(view);
	}

	// ---- what is shown

	get #isPairing() {
		return find('app').dataset.view === 'pairing';
	}

	#show() {
		if (this.#isPairing)
			return;
		const { approvals, conversations, thread, trouble } = this.#phone;
		const unread = conversations.reduce((sum, row) => sum + row.unread, 0);
		const titles = { thread: thread && nameOf(this.#phone.conversation() ??
			{ phone_number: thread.number }), new: 'New message', ...PLACES };
		find('title').replaceChildren(foreign(titles[this.#view] ?? 'Phone'));
		document.title = unread ? `(${unread}) Phone` : 'Phone';
		find('new').hidden = !this.#phone.may('send') || this.#view === 'new';
		this.#badge('messages', unread, 'unread');
		this.#badge('approvals', approvals.length, 'waiting');
		const current = this.#view in PLACES ? this.#view : 'messages';
		for (const [place, { button }] of Object.entries(this.#buttons))
			button.setAttribute('aria-current', place === current ? 'page' : 'false');
		this.#trouble(trouble);
		this.list.show();
		this.thread.show();
		this.composer.show();
		this.approvals.show();
		this.status.show();
		if (this.#byPerson && this.#view === 'thread' && !document.hidden)
			this.#phone.markRead().catch(() => {});
	}

	#badge(place, count, word) {
		const { badge } = this.#buttons[place];
		badge.hidden = !count;
		badge.replaceChildren(String(count), make('span.hidden', ` ${word}`));
	}

	#trouble(text) {
		if (text)
			this.#say('Not up to date', 'bad');
		else if (find('connection').classList.contains('bad'))
			this.#say('Live', 'good');
	}

	#say(text, tone) {
		find('connection').className = tone;
		setText(find('connection'), text);
	}

	#connection(state) {
		if (state === 'unpaired')
			return this.#unpaired();
		if (state === 'lost')
			return this.#say('Not connected', 'warn');
		this.#say('Live', 'good');
		if (this.#before)
			this.wentBack(this.#before);
		this.#before = null;
	}

	// What was read must not be found behind what asks for a token.
	#unpaired() {
		if (this.#phone.status)
			location.reload();
		else
			showPairing();
	}

	#forget() {
		storedToken.forget();
		location.reload();
	}

	// ---- what the host's agent may ask of the page

	#selectionChanged() {
		this.thread.showSelection();
		const { tools } = this.#link;
		if (!tools || tools.signature === this.#tools)
			return;
		this.#tools = tools.signature;
		this.#link.toolsChanged();
	}

	offer(tools) {
		this.#link.tools = tools;
		this.#tools = tools.signature;
	}

	get selectedMessages() {
		return this.#phone.selectedMessages;
	}

	async openForAgent(number) {
		await this.#openThread(number, false);
		return { phone_number: number, messages: this.#phone.thread.messages.length };
	}

	async setDraft({ phone_number: number, ...draft }) {
		if (number !== undefined && this.#phone.conversation(number))
			await this.#openThread(number, false);
		else if (number !== undefined || !this.composer.element.isConnected)
			this.#write();
		this.composer.set({ phone_number: number, ...draft });
		return this.getDraft();
	}

	async getDraft() {
		await this.composer.review();
		const { verdict } = this.composer;
		return { ...this.composer.draft, sent: false, verdict: verdict ?? undefined };
	}

	// ---- what the host tells

	showCall(input, isWhole) {
		this.agentCall.input = input;
		const number = input.to_phone_number ?? input.phone_number;
		if (isWhole && typeof number === 'string')
			this.#openThread(number, false);
	}

	useContext({ toolInfo, theme, styles, locale, timeZone, displayMode,
		containerDimensions: size, safeAreaInsets: insets }) {
		const root = document.documentElement;
		if (toolInfo)
			this.agentCall.tool = toolInfo.tool;
		if (toolInfo?.tool?.name === 'get_gateway_status')
			this.#place('phone');
		if (theme)
			root.style.setProperty('color-scheme', theme);
		for (const [name, value] of Object.entries(styles?.variables ?? {})) {
			if (name.startsWith('--') && typeof value === 'string')
				root.style.setProperty(name, value);
		}
		if (locale || timeZone)
			time.use(locale, timeZone);
		for (const [side, value] of Object.entries(insets ?? {}))
			root.style.setProperty(`--inset-${side}`, `${Number(value)}px`);
		if (displayMode || size)
			this.#fit(displayMode, size);
	}

	// A height of its own, never that of its frame: the frame follows it.
	#fit(displayMode, size) {
		const fills = displayMode === 'fullscreen' || size?.height !== undefined;
		const most = Math.min(INLINE_HEIGHT_PX, size?.maxHeight ?? INLINE_HEIGHT_PX);
		document.documentElement.style.setProperty('--height', fills ? '100dvh' : `${most}px`);
	}
}

function startInHost() {
	const link = new HostLink();
	const page = new Page(link);
	document.documentElement.classList.add('hosted');
	page.offer(new AppTools(page));
	link.oncontext = (context) => page.useContext(context);
	link.oninput = (input, isWhole) => page.showCall(input, isWhole);
	link.onresult = (result) => { page.agentCall.result = result; };
	link.oncancelled = (reason) => page.agentCall.cancelled(reason);
	page.start().then(() => new ResizeObserver(() => {
		const { width, height } = find('app').getBoundingClientRect();
		link.sizeChanged({ width: Math.ceil(width), height: Math.ceil(height) });
	}).observe(find('app')));
}

function startInBrowser() {
	const page = new Page(new BrowserLink(tokenOfLink()));
	addEventListener('popstate', ({ state }) => page.wentBack(state));
	addEventListener('hashchange', () => location.reload());	// a link with a token
	page.start();
}

function showPairing() {
	const app = find('app');
	app.dataset.view = 'pairing';
	setText(find('title'), 'Phone');
	find('connection').textContent = '';
	['places', 'list', 'new'].forEach((id) => { find(id).hidden = true; });
	find('detail').replaceChildren(pairingView(storedToken.read(), (token) => {
		storedToken.write(token);
		location.reload();
	}));
	storedToken.forget();
}

if (parent === window)
	startInBrowser();
else
	startInHost();

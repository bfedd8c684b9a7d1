// SPDX-License-Identifier: GPL-2.0-or-later
// The page: its views, what each shows, and how it starts in a browser or in an MCP host.

const PLACES = { messages: 'Messages', approvals: 'Approvals', phone: 'Phone' };
const INLINE_HEIGHT_PX = 600;
const DAY_SEEN_MS = 60000;

class Page {
	#link;
	#phone;
	#view = 'starting';
	#byUser = false;		// who opened the thread: an agent does not mark it as read
	#tools = '';
	#before = history.state;	// the view before the tab was reloaded
	#buttons = {};
	#day = 0;
	#context = {};			// everything that the host has reported
	#height = 0;			// wanted from the host; 0: the height of the frame
	#composer; #thread; #list; #approvals; #status; #writing;

	constructor(link) {
		this.#link = link;
		this.#phone = new Phone(link);
		const openLink = (url) => link.openLink(url);
		this.#composer = new Composer(this.#phone);
		this.#thread = new ThreadView(this.#phone, this.#composer, openLink);
		const search = new Search(this.#phone, (message) => this.#openMessage(message));
		search.onchange = () => this.#list.show();
		this.#list = new ConversationList(this.#phone, search, (number) =>
			this.#openThread(number, true));
		this.#approvals = new ApprovalsView(this.#phone);
		this.#status = new StatusView(this.#phone, link.isHosted ? null : () => this.#forget());
		this.#writing = make('section.thread', { 'aria-label': 'New message' },
			make('div.scroll'), make('div'));
		this.agentCall = new AgentCall();
		this.#build();
		this.#phone.onread = () => this.#show();
		this.#phone.onselect = () => this.#selectionChanged();
		this.#composer.onsent = (number) => this.#openThread(number, true);
		document.addEventListener('visibilitychange', () => this.#show());
		setInterval(() => this.#showDay(), DAY_SEEN_MS);
		link.onchange = () => this.#phone.read();
		link.onstate = (state) => this.#connection(state);
	}

	#build() {
		find('back').append(icon('back'));
		find('back').onclick = () => this.#back();
		find('new').append(icon('write'));
		find('new').onclick = () => this.#write();
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

	// ---- views

	#place(view) {
		if (this.#isPairing)
			return;
		this.#view = view;
		find('app').dataset.view = view;
		const details = { thread: this.#thread.element, new: this.#writing,
			approvals: this.#approvals.element, phone: this.#status.element };
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

	async #openThread(number, byUser) {
		const isOther = this.#phone.thread?.number !== number;
		const isElsewhere = isOther || this.#view !== 'thread';
		this.#byUser = byUser;
		const read = isOther ? this.#phone.open(number) : this.#phone.read();
		this.#place('thread');
		if (isOther)
			this.#thread.begin(read);
		this.#remember();
		if (isElsewhere && byUser)
			this.#announce();
		await read;
	}

	async #openMessage({ phone_number: number, message_id: id }) {
		await this.#openThread(number, true);
		await this.#thread.reveal(id);
	}

	#write(byUser = true) {
		this.#phone.open(null);
		this.#writing.lastChild.append(this.#composer.element);
		this.#place('new');
		this.#composer.use(null);
		if (byUser)
			find('to').focus();
		this.#remember();
	}

	// In a browser, the phone's own Back button works too.
	#remember() {
		this.#before = null;
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

	// For screen readers: moves focus to the title, which names the view. Not when an agent opens
	// a view: the user may be typing elsewhere in the host.
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

	// ---- showing

	get #isPairing() {
		return find('app').dataset.view === 'pairing';
	}

	#show() {
		if (this.#isPairing)
			return;
		const { approvals, conversations, thread, trouble } = this.#phone;
		const unread = conversations.reduce((sum, row) => sum + row.unread, 0);
		const party = thread && (this.#phone.conversation() ?? { phone_number: thread.number });
		const titles = { thread: thread && nameOf(party), new: 'New message', ...PLACES };
		find('title').replaceChildren(foreign(titles[this.#view] ?? 'Phone'));
		find('party').replaceChildren(...(party && this.#view === 'thread' ? [markOf(party)] : []));
		find('title').classList.toggle('claimed', this.#view === 'thread' && !!party &&
			isClaimed(party));
		const host = this.#phone.status?.host;
		find('gateway').hidden = !host;
		setText(find('gateway'), host ?? '');
		document.title = (unread ? `(${unread}) ` : '') + (host ?? 'Phone');
		find('new').hidden = !this.#phone.may('send') || this.#view === 'new';
		setCount(this.#buttons.messages.badge, unread, 'unread');
		setCount(this.#buttons.approvals.badge, approvals.length, 'waiting');
		const current = this.#view in PLACES ? this.#view : 'messages';
		for (const [place, { button }] of Object.entries(this.#buttons))
			button.ariaCurrent = place === current ? 'page' : 'false';
		this.#trouble(trouble);
		this.#list.show();
		this.#thread.show();
		this.#composer.show();
		this.#approvals.show();
		this.#status.show();
		if (this.#byUser && this.#view === 'thread' && !document.hidden)
			this.#phone.markRead().catch(() => {});
	}

	// Updates 'Today' and 'Yesterday' after midnight.
	#showDay() {
		const day = time.dayNumber(new Date());
		if (day !== this.#day)
			this.#show();
		this.#day = day;
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
		this.#phone.isLost = state === 'lost';
		if (!this.#phone.status)
			this.#show();
		if (state === 'lost')
			return this.#say('Not connected', 'warn');
		this.#say('Live', 'good');
		if (this.#before)
			this.wentBack(this.#before);
		this.#before = null;
	}

	// Messages must not remain in the page behind the form that asks for a token.
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

	// ---- called by the host's agent

	#selectionChanged() {
		this.#thread.showSelection();
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
		const known = await this.#phone.known(number);
		if (!known)
			throw new ToolError(`No message was exchanged with ${number}.`, '',
				'list_sms_conversations lists those you can open; set_draft takes any number.');
		await this.#openThread(known, false);
		return { phone_number: known, messages: this.#phone.thread.messages.length };
	}

	async setDraft({ phone_number: number, ...draft }) {
		if (!this.#phone.status)
			await this.#phone.read();
		const known = number && await this.#phone.known(number);
		if (known)
			await this.#openThread(known, false);
		else if (number || !this.#composer.element.isConnected)
			this.#write(false);
		this.#composer.propose({ phone_number: number, ...draft });
		return this.getDraft();
	}

	async getDraft() {
		await this.#composer.review();
		const { verdict, draft, offer } = this.#composer;
		return { ...draft, sent: false, verdict: verdict ?? undefined, offered: offer,
			note: offer && OFFERED };
	}

	// ---- reported by the host

	async showCall(input, isWhole) {
		this.agentCall.ask(input, isWhole);
		const number = input.to_phone_number ?? input.phone_number;
		if (!isWhole || typeof number !== 'string')
			return;
		const known = await this.#phone.known(number).catch(() => null);
		if (known !== null)			// the gateway accepts it as a number
			this.#openThread(known ?? number, false);
	}

	useContext(news) {
		const root = document.documentElement;
		const { theme, styles, locale, timeZone, displayMode, containerDimensions: size,
			safeAreaInsets: insets } = Object.assign(this.#context, news);
		if (news.toolInfo)
			this.agentCall.tool = news.toolInfo.tool;
		if (news.toolInfo?.tool?.name === 'get_gateway_status')
			this.#place('phone');
		if (theme)
			root.style.colorScheme = theme;
		for (const [name, value] of Object.entries(styles?.variables ?? {})) {
			if (name.startsWith('--') && typeof value === 'string')
				root.style.setProperty(name, value);
		}
		time.use(locale, timeZone);
		for (const [side, value] of Object.entries(insets ?? {}))
			root.style.setProperty(`--inset-${side}`, `${Number(value)}px`);
		const fills = (displayMode ?? 'inline') !== 'inline' || size?.height !== undefined;
		this.#height = fills ? 0 : Math.min(INLINE_HEIGHT_PX, size?.maxHeight ?? Infinity);
		root.style.setProperty('--height', fills ? '100dvh' : `${this.#height}px`);
		this.#show();
	}

	// Never the height of the frame: the frame follows this, and the two would chase each other.
	get size() {
		return { width: innerWidth, height: this.#height || innerHeight };
	}
}

function startInHost() {
	const link = new HostLink();
	const page = new Page(link);
	document.documentElement.classList.add('hosted');
	page.offer(new AppTools(page));
	const resized = new ResizeObserver(() => link.sizeChanged(page.size));
	link.oncontext = (context) => {
		page.useContext(context);
		resized.disconnect();
		resized.observe(find('app'));		// reports the size at once
	};
	link.oninput = (input, isWhole) => page.showCall(input, isWhole);
	link.onresult = (result) => { page.agentCall.result = result; };
	link.oncancelled = (reason) => page.agentCall.cancelled(reason);
	page.start();
}

function startInBrowser() {
	const page = new Page(new BrowserLink(tokenOfLink()));
	window.onpopstate = ({ state }) => page.wentBack(state);
	window.onhashchange = () => location.reload();		// a link with a token
	page.start();
}

function showPairing() {
	const app = find('app');
	app.dataset.view = 'pairing';
	setText(find('title'), 'Phone');
	find('connection').textContent = '';
	['places', 'list', 'new', 'gateway'].forEach((id) => { find(id).hidden = true; });
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

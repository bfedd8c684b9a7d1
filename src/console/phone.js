// SPDX-License-Identifier: GPL-2.0-or-later
// What the page knows about the phone, read through a link. After any change everything that is
// shown is read again, one reading at a time; a change meanwhile causes one more.

const PAGE_ROWS = 30;

// Rows leave out what would say nothing; the page's code reads it all the same.
const completeMessage = ({ from, to, ...message }) => {
	const direction = message.direction ?? (to === undefined ? 'in' : 'out');
	return { direction, phone_number: to ?? from, at: message.send_at, read: false, flags: [],
		state: direction === 'out' ? 'sent' : 'received', ...message };
};

const completeConversation = (row) => ({ unread: 0, trust: row.contact_name ? 'contact' : 'unknown',
	...row, last_message: { ...completeMessage(row.last_message),
		phone_number: row.phone_number } });

class Phone {
	status = null;
	conversations = [];
	nextConversations = null;	// a cursor; null: no more
	approvals = [];
	moreApprovals = 0;
	thread = null;			// { number, messages, next, isRead }
	selected = new Set();		// message_ids of the thread
	trouble = '';			// why the last reading failed, ''
	isLost = false;			// the connection
	onread = () => {};
	onselect = () => {};
	#link;
	#reading = null;
	#again = false;
	#isReadingMore = false;

	constructor(link) {
		this.#link = link;
	}

	may(scope) {
		return this.status?.scopes?.includes(scope) ?? false;
	}

	// Why there is nothing to show yet; '': the phone has been read.
	get waiting() {
		return this.status ? '' : this.trouble || (this.isLost
			? 'The phone does not answer. This page tries again by itself.' : 'Loading\u2026');
	}

	get sims() {
		return this.status?.sims.subscriptions ?? [];
	}

	sim(id) {
		return this.sims.find((sim) => sim.subscription_id === id);
	}

	call(name, args) {
		return this.#link.callTool(name, args);
	}

	// Resolves when everything has been read after this call.
	read() {
		this.#again = true;
		this.#reading ??= this.#readAll();
		return this.#reading;
	}

	async #readAll() {
		while (this.#again) {
			this.#again = false;
			try {
				await this.#readOnce();
				this.trouble = '';
			} catch (error) {
				if (!(error instanceof NoAnswer))
					this.trouble = error.message;
			}
			this.onread();
		}
		this.#reading = null;
	}

	async #readOnce() {
		this.status = await this.#link.readResource('sms://status')
			.catch(() => this.call('get_gateway_status', { detail: true }));	// a host may forward only tools
		await Promise.all([this.#readConversations(), this.#readThread(),
			this.#readApprovals()]);
	}

	async #listConversations(more) {
		const page = await this.call('list_sms_conversations',
			{ limit: PAGE_ROWS, include_service: true, ...more });
		return { ...page, conversations: page.conversations.map(completeConversation) };
	}

	async #readConversations() {
		const page = await this.#listConversations();
		const newest = new Set(page.conversations.map((row) => row.phone_number));
		// If the last row is unchanged, so are the older ones; otherwise some may be missing.
		const last = page.conversations.at(-1);
		const isKnown = this.conversations.some((row) => row.phone_number === last?.phone_number &&
			row.last_message.message_id === last.last_message.message_id);
		const older = this.conversations.filter((row) =>
			isKnown && !newest.has(row.phone_number));
		if (!older.length || !page.next_cursor)
			this.nextConversations = page.next_cursor ?? null;
		this.conversations = [...page.conversations, ...(page.next_cursor ? older : [])];
	}

	// Reads one more page, one at a time.
	async #readMore(read) {
		if (this.#isReadingMore)
			return;
		this.#isReadingMore = true;
		await read().catch((error) => { this.trouble = error.message; });
		this.#isReadingMore = false;
		this.onread();
	}

	readMoreConversations() {
		return this.#readMore(async () => {
			const page = await this.#listConversations({ cursor: this.nextConversations });
			this.nextConversations = page.next_cursor ?? null;
			this.conversations.push(...page.conversations.filter((row) =>
				!this.conversation(row.phone_number)));
		});
	}

	async #readApprovals() {
		const page = this.may('admin') ? await this.call('list_approvals')
			: { approvals: [], more: 0 };
		this.approvals = [...page.approvals, ...page.webhooks ?? [], ...page.pairings ?? []];
		this.moreApprovals = page.more;
	}

	// Empties the thread before the other one is read.
	open(number) {
		this.select([]);
		this.thread = number === null ? null : { number, messages: [], next: null };
		return this.read();
	}

	conversation(number = this.thread?.number) {
		return this.conversations.find((row) => row.phone_number === number);
	}

	async #readThread() {
		const { thread } = this;
		if (!thread)
			return;
		const page = await this.#list(thread.number);
		// Messages may be missing between an old reading and this page.
		const known = new Set(thread.messages.map((row) => row.message_id));
		if (!page.messages.some((row) => known.has(row.message_id)))
			Object.assign(thread, { messages: [], next: page.next_cursor ?? null });
		this.#merge(thread, page.messages);
		thread.isRead = true;
		thread.number = page.messages[0]?.phone_number ?? thread.number;
	}

	// The number as the gateway writes it; undefined: no message was exchanged with it.
	async known(number) {
		const { messages } = await this.#list(number, { limit: 1 });
		return messages[0]?.phone_number;
	}

	async search(words) {
		const { messages, ...page } = await this.call('list_sms', { search: words, limit: PAGE_ROWS });
		return { ...page, messages: messages.map(completeMessage) };
	}

	// Reads earlier messages until the thread has this one, or nothing more comes.
	async readBackTo(id) {
		for (let next; (next = this.thread?.next) &&
			this.thread.messages.every((row) => row.message_id > id);) {
			await this.readEarlier();
			if (this.thread?.next === next)
				return;
		}
	}

	readEarlier() {
		const { thread } = this;
		return this.#readMore(async () => {
			const page = await this.#list(thread.number, { cursor: thread.next });
			thread.next = page.next_cursor ?? null;
			this.#merge(thread, page.messages);
		});
	}

	async #list(number, more) {
		const page = await this.call('list_sms',
			{ phone_number: number, limit: PAGE_ROWS, include_service: true, ...more });
		const { subscription_id } = page;	// of messages that name none
		return { ...page, messages: page.messages.map((row) =>
			completeMessage({ subscription_id, ...row })) };
	}

	#merge(thread, messages) {
		const all = new Map(thread.messages.map((row) => [row.message_id, row]));
		messages.forEach((row) => all.set(row.message_id, row));
		// What waits for its time comes last.
		thread.messages = [...all.values()].sort((one, other) =>
			(one.send_at ? 1 : 0) - (other.send_at ? 1 : 0) ||
			one.message_id - other.message_id);
	}

	select(ids) {
		this.selected = new Set(ids);
		this.onselect();
	}

	get selectedMessages() {
		return (this.thread?.messages ?? []).filter((row) =>
			this.selected.has(row.message_id));
	}

	// This counts for every client of the gateway, so only when the user sees the messages.
	async markRead() {
		const unread = (this.thread?.messages ?? []).filter((row) =>
			row.direction === 'in' && !row.read);
		const row = this.conversation();
		if (!unread.length)
			return;
		await this.call('mark_sms_read', { message_ids: unread.map((message) =>
			message.message_id) });
		unread.forEach((message) => { message.read = true; });
		if (row)
			row.unread = 0;
		this.onread();
	}
}

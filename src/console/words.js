// SPDX-License-Identifier: GPL-2.0-or-later
// Words for the gateway's codes. A state is a word and a sign; its tone is only the colour.

const STATES = {
	waiting_approval: ['waiting for approval', 'warn', '?'],
	scheduled: ['scheduled', 'wait', '\u25F7'],
	queued: ['queued', 'wait', '\u2026'],
	submitting: ['being sent', 'wait', '\u2026'],
	submitted: ['being sent', 'wait', '\u2026'],
	held: ['held until the modem is back', 'warn', '\u2026'],
	sent: ['sent', 'good', '\u2713'],
	delivered: ['delivered', 'good', '\u2713\u2713'],
	failed: ['failed', 'bad', '\u2715'],
	cancelled: ['cancelled', 'wait', '\u2013'],
	unknown: ['outcome unknown', 'warn', '?'],
	expired: ['expired, not sent', 'bad', '\u2715'],
	received: ['received', 'wait', ''],
};

const TRUST = {
	owner: 'your own number',
	contact: 'contact',
	known: 'you have texted this number before',
	unknown: 'unknown sender',
	unverified_name: 'a name that anyone can choose; you cannot reply to it',
	blocked: 'blocked',
};

const SIM_STATES = {
	ready: ['Ready', 'good'],
	searching: ['Looking for a network', 'warn'],
	offline: ['Flight mode', 'warn'],
	locked: ['Locked: needs a PIN', 'bad'],
	starting: ['Starting', 'wait'],
	duplicate: ['In two modems: cannot send', 'bad'],
	stuck: ['Modem is stuck', 'bad'],
	modem_off: ['Modem is off', 'warn'],
};

// A country's name in the user's language; the code where the browser knows no name.
const countryOf = (code) =>
	new Intl.DisplayNames(time.language, { type: 'region', fallback: 'code' }).of(code);

const spell = (code) => code.replaceAll('_', ' ');

// Who had an outgoing message sent; '' if the phone does not tell this page.
const senderOf = ({ origin, client = '' }) =>
	origin === 'phone' ? 'the phone\u2019s app' : client === 'owner' ? 'you' : client;

const NO_NOTES = ['contains_link', 'looks_like_code'];	// visible in the text

const notesOf = ({ flags, masked }) => [
	...flags.filter((flag) => !NO_NOTES.includes(flag)).map(spell),
	...(masked ? ['code hidden from this client'] : []),
];

// Times in the language and time zone of the host, or of the browser.
const time = {
	forms: {},
	use(locale, timeZone) {
		try {
			new Intl.DateTimeFormat(locale, { timeZone });
		} catch {
			return this.use();
		}
		const form = (options, language = locale) =>
			new Intl.DateTimeFormat(language, { ...options, timeZone });
		this.language = locale;
		this.forms = {
			clock: form({ timeStyle: 'short' }),
			day: form({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
			short: form({ day: 'numeric', month: 'short' }),
			iso: form({}, 'sv'),
			year: form({ month: 'short', year: 'numeric' }),
			full: form({ dateStyle: 'medium', timeStyle: 'short' }),
		};
	},
	clock: (text) => time.forms.clock.format(new Date(text)),
	full: (text) => time.forms.full.format(new Date(text)),
	// By the calendar of that zone, because a day may have 23 or 25 hours.
	dayNumber: (date) => Date.parse(time.forms.iso.format(date)) / 86400000,
	daysAgo: (date) => time.dayNumber(new Date()) - time.dayNumber(date),
	day(text) {
		const then = new Date(text);
		return ['Today', 'Yesterday'][this.daysAgo(then)] ?? this.forms.day.format(then);
	},
	brief(text) {
		const then = new Date(text), { short, year } = this.forms;
		if (!this.daysAgo(then))
			return this.clock(text);
		return (then.getFullYear() === new Date().getFullYear() ? short : year).format(then);
	},
};
time.use();

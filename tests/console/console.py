# SPDX-License-Identifier: GPL-2.0-or-later
"""The console as a person sees and uses it, alone in a browser or in a host of MCP Apps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chrome import Chrome, Tab
from desk import Desk

OpenTab = Callable[..., Tab]

NARROW = {"viewport": {"width": 320, "height": 640}, "hasTouch": True}
PHONE = {"viewport": {"width": 390, "height": 844}, "hasTouch": True}
WIDE = {"viewport": {"width": 1100, "height": 760}}


class Console:
    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.do = tab.do

    @classmethod
    def in_browser(cls, tab: Tab, url: str) -> Console:
        """Connected, in a browser."""
        tab.do("await page.goto(args.url)", url=url)
        return cls(tab).wait_live()

    @classmethod
    def in_host(cls, tab: Tab, chrome: Chrome, desk: Desk, token: str = "",
                tool: str = "list_sms_conversations", input: dict[str, Any] | None = None,
                **options: Any) -> Console:
        """A host shows it for a call that it made."""
        tab.do("await page.goto(args.url)", url=chrome.host)
        tab.do("return await page.evaluate(options => window.host.show(options), args)",
               url=f"{desk.url}mcp", token=token or desk.page, tool=tool, input=input or {},
               **options)
        return cls(tab).wait_live()

    @classmethod
    def in_plain_host(cls, tab: Tab, chrome: Chrome, desk: Desk, token: str = "",
                      **options: Any) -> Console:
        """In plain.js, which is as unusual as the options say."""
        tab.do("""await page.goto(args.url);
            await page.waitForFunction(() => window.host)""", url=f"{chrome.host}/plain.html")
        tab.do("return await page.evaluate(options => window.host.show(options), args)",
               url=f"{desk.url}mcp", token=token or desk.page, **options)
        return cls(tab)

    def ask_host(self, expression: str, *args: Any) -> Any:
        """Asks `host` in the page of the host."""
        return self.do("return page.evaluate(([text, args]) => "
                       "new Function('host', 'args', `return ${text}`)(window.host, args), "
                       "[args.text, args.args])", text=expression, args=args)

    def wait_live(self) -> Console:
        self.do("await view().getByText('Live', { exact: true }).waitFor()")
        return self

    def wait_text(self, text: str) -> None:
        """Waits for it anywhere on the page."""
        self.do("await view().getByText(args.text).first().waitFor()", text=text)

    def click(self, name: str, role: str = "button") -> None:
        self.do("await view().getByRole(args.role, { name: args.name, exact: true }).click()",
                role=role, name=name)

    def decide(self, text: str, decision: str, reason: str = "") -> str:
        """Decides on the waiting message with that text; returns the text of its card."""
        self.go_to("Approvals")
        return self.do("""const card = view().locator('.card').filter({ hasText: args.text });
            const said = await card.innerText();
            await card.getByRole('button', { name: args.decision }).click();
            if (args.decision === 'Reject') {
                await card.getByLabel('Reason').fill(args.reason);
                await card.getByRole('button', { name: 'Reject' }).click();
            }
            await card.getByText(/^(Approved|Rejected)[.]$/).waitFor();
            return said""", text=text, decision=decision, reason=reason)

    def go_to(self, place: str) -> None:
        self.do("""const back = view().getByRole('button', { name: 'Back' });
            if (await back.isVisible()) await back.click();
            await view().getByRole('navigation').getByRole('button', { name: args.place })
                .click()""", place=place)

    def open(self, number: str) -> None:
        self.go_to("Messages")
        self.do("""await view().getByRole('button', { name: args.number }).click();
            await view().getByRole('log').waitFor()""", number=number)

    def write(self, text: str, to: str = "", sim: int | None = None) -> str:
        """Writes a draft; returns what the page says of it."""
        if to:
            self.go_to("Messages")
            self.click("New message")
            self.do("await view().getByLabel('To', { exact: true }).fill(args.to)", to=to)
        if sim is not None:
            self.do("await view().getByLabel('From', { exact: true }).selectOption(args.sim)", sim=str(sim))
        return self.do("""await view().getByLabel('Text', { exact: true }).fill('');
            await view().getByLabel('Text', { exact: true }).fill(args.text);
            const verdict = view().locator('#verdict');
            await verdict.locator('p').last().waitFor();
            return verdict.innerText()""", text=text)

    def send(self) -> None:
        self.do("await view().locator('.send').click()")

    def wait_message(self, text: str, state: str = "") -> None:
        """Waits for it in the open conversation, in exactly that state: "sent" is not "being
        sent"."""
        self.do("""const row = view().locator('.message').filter({ hasText: args.text });
            const whole = new RegExp(`^(\\\\S+ )?${args.state}$`);
            await (args.state ? row.locator('.state', { hasText: whole }).first() : row)
                .waitFor()""", text=text, state=state)

    def evaluate(self, expression: str) -> Any:
        return self.do("return frame().evaluate(args.expression)", expression=expression)

    def violations(self) -> list[str]:
        """Of the rules of axe-core, in what is shown now."""
        return self.do("""await frame().evaluate(axe);
            const { violations } = await frame().evaluate(() => axe.run());
            return violations.flatMap(({ id, help, nodes }) =>
                nodes.map(({ target }) => `${id}: ${help}: ${target}`))""")

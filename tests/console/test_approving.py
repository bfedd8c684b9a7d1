# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that wait for approval, on the owner's page."""

from __future__ import annotations

from console import PHONE, Console, OpenTab
from desk import CONTACT, Desk


def test_the_owner_approves_a_message(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("may I?", number)
    said = page.decide("may I?", "Approve")
    for fact in ("laptop wants to send 1 SMS", number, "Telekom HU", "may I?"):
        assert fact in said
    desk.agent.wait_state(message_id, "sent")
    assert desk.sent().count("may I?") == 1
    page.open(number)
    page.wait_message("may I?", "sent")


def test_each_button_names_its_recipient(page: Console, desk: Desk, number: str) -> None:
    """For a user who hears one button after the other."""
    message_id = desk.ask("one of several", number)
    page.go_to("Approvals")
    card = "page.locator('.card').filter({ hasText: 'one of several' })"
    for name in ("Approve", "Reject"):
        assert number in page.do(f"""return {card}.getByRole('button', {{ name: '{name}',
            exact: true }}).evaluate(button => document.getElementById(
                button.getAttribute('aria-describedby')).textContent)""")
    desk.owner.do("reject", message_id)


def test_the_owner_rejects_a_message(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("and this?", number)
    page.decide("and this?", "Reject", "she is asleep")
    status = desk.agent.call("get_sms_status", history=True, message_id=message_id).structured
    assert (status["state"], status["reason"]) == ("failed", "approval_rejected")
    assert status["changes"][-1]["note"] == "she is asleep"
    assert "and this?" not in desk.sent()


def test_a_decision_made_elsewhere_is_shown(page: Console, desk: Desk, number: str) -> None:
    first, second = desk.ask("the first", number), desk.ask("the second", number)
    page.go_to("Approvals")
    page.do("await page.locator('.card').getByText('the second').waitFor()")
    card = "page.locator('.card').filter({ hasText: args.text })"
    top = f"return (await {card}.boundingBox()).y"
    before = page.do(top, text="the second")
    desk.owner.do("reject", first)
    page.wait_text("Already decided elsewhere")
    assert page.do(f"return {card}.getByRole('button', {{ name: 'Approve' }})"
                   ".isDisabled()", text="the first")
    assert page.do(top, text="the second") >= before    # not under a finger that is about to tap
    page.decide("the second", "Approve")
    desk.agent.wait_state(second, "sent")


def test_an_edited_message_gets_a_card_of_its_own(
        page: Console, desk: Desk, number: str) -> None:
    """The button under the text that the owner read does not send another one."""
    message_id = desk.ask("a harmless text", number)
    page.go_to("Approvals")
    page.do("await page.locator('.card').getByText('a harmless text').waitFor()")
    edited = desk.agent.call("edit_sms", message_id=message_id, text="something else")
    assert edited.facts["state"] == "waiting_approval"
    page.wait_text("Already decided elsewhere, changed, or expired.")
    page.decide("something else", "Approve")
    desk.agent.wait_state(message_id, "sent")
    assert "something else" in desk.sent() and "a harmless text" not in desk.sent()


def test_a_double_press_decides_once(page: Console, desk: Desk, number: str) -> None:
    first, second = desk.ask("press twice", number), desk.ask("not me", number)
    page.go_to("Approvals")
    page.do("await page.locator('.card').getByText('not me').waitFor()")
    page.do("""const { x, y, width, height } = await page.locator('.card')
            .filter({ hasText: 'press twice' }).getByRole('button', { name: 'Approve' })
            .boundingBox();
        const press = () => page.mouse.click(x + width / 2, y + height / 2);
        await press();
        await page.getByText('Approved.', { exact: true }).waitFor();
        await press()""")
    desk.agent.wait_state(first, "sent")
    assert desk.agent.state(second) == "waiting_approval"
    desk.owner.do("reject", second)


def test_a_decision_whose_answer_is_lost_is_shown(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("was that heard?", number)
    page.go_to("Approvals")
    page.do("""const card = page.locator('.card').filter({ hasText: 'was that heard?' });
        await page.route('**/mcp', async route => {
            if (!route.request().postData().includes('decide_approval')) return route.continue();
            await route.fetch();
            return route.abort(); });
        await card.getByRole('button', { name: 'Approve' }).click();
        await card.getByText('Already decided').waitFor();
        complaints.splice(0)""")
    desk.agent.wait_state(message_id, "sent")


def test_a_page_without_admin_cannot_approve(open_tab: OpenTab, desk: Desk, number: str) -> None:
    message_id = desk.ask("wait for me", number)
    page = Console.in_browser(open_tab(**PHONE), f"{desk.url}#{desk.agent_token}")
    page.go_to("Approvals")
    page.wait_text("paired with the scope admin")
    assert page.do("return page.getByRole('button', { name: 'Approve' }).count()") == 0
    page.open(number)
    page.wait_message("wait for me", "waiting for approval")
    desk.owner.do("reject", message_id)


def test_a_reason_is_asked_only_after_reject(page: Console, desk: Desk, number: str) -> None:
    """By keyboard: Escape takes Reject back, Enter decides."""
    message_id = desk.ask("or not?", number)
    page.go_to("Approvals")
    card = "page.locator('.card').filter({ hasText: 'or not?' })"
    fields = f"return {card}.getByRole('textbox').count()"
    page.do(f"await {card}.getByRole('button', {{ name: 'Approve' }}).waitFor()")
    assert page.do(fields) == 0
    page.do(f"""await {card}.getByRole('button', {{ name: 'Reject' }}).focus();
        await page.keyboard.press('Enter');
        await {card}.getByRole('textbox', {{ name: 'Reason' }}).waitFor()""")
    assert page.violations() == []
    assert page.do(f"return {card}.getByRole('button', {{ name: 'Approve' }}).count()") == 0
    page.do("await page.keyboard.press('Escape')")
    assert page.do(fields) == 0
    assert page.evaluate("document.activeElement.matches('.card button')")
    assert desk.agent.state(message_id) == "waiting_approval"
    page.do(f"""await page.keyboard.press('Enter');
        await {card}.getByRole('textbox', {{ name: 'Reason' }}).waitFor();
        await page.keyboard.type('too early');
        await page.keyboard.press('Enter');
        await {card}.getByText('Rejected.').waitFor()""")
    status = desk.agent.call("get_sms_status", history=True, message_id=message_id).structured
    assert (status["reason"], status["changes"][-1]["note"]) == ("approval_rejected", "too early")


def test_a_double_press_of_reject_decides_nothing(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("tap tap", number)
    page.go_to("Approvals")
    page.do("""const { x, y, width, height } = await page.locator('.card')
            .filter({ hasText: 'tap tap' }).getByRole('button', { name: 'Reject' }).boundingBox();
        await page.mouse.click(x + width / 2, y + height / 2);
        await page.mouse.click(x + width / 2, y + height / 2);
        await page.locator('.card').getByRole('textbox', { name: 'Reason' }).waitFor()""")
    assert desk.agent.state(message_id) == "waiting_approval"
    desk.owner.do("reject", message_id)


def test_an_enter_that_ends_a_composition_decides_nothing(page: Console, desk: Desk, number: str) -> None:
    """Input methods use Enter and Escape to choose a word."""
    message_id = desk.ask("in Japanese", number)
    page.go_to("Approvals")
    left = page.do("""const card = page.locator('.card').filter({ hasText: 'in Japanese' });
        await card.getByRole('button', { name: 'Reject' }).click();
        const reason = card.getByRole('textbox', { name: 'Reason' });
        for (const key of ['Enter', 'Escape'])
            await reason.dispatchEvent('keydown', { key, isComposing: true, bubbles: true });
        return reason.isVisible()""")
    assert left
    assert desk.agent.state(message_id) == "waiting_approval"
    desk.owner.do("reject", message_id)


def test_an_approval_names_contact_country_sim_and_requester(page: Console, desk: Desk) -> None:
    name, contact = CONTACT
    message_id = desk.ask("to somebody you know", contact)
    page.go_to("Approvals")
    card = page.do("""const card = page.locator('.card').filter({ hasText: 'to somebody you know' });
        await card.waitFor();
        return card.innerText()""")
    for fact in (name, contact, "Hungary", "Telekom HU", "laptop"):
        assert fact in card
    desk.owner.do("reject", message_id)

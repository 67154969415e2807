"""A person at a table in a real browser: what they see, and how they choose."""

from typing import Any

from playwright.sync_api import Page, expect

PATIENCE_MS = 180_000
"""How long to wait for the next thing to happen: tests share a busy machine with others."""
HASTE = 60
"""Tests need not see the cards glide."""
ASKED = ".ask-bar.asks"
ENDED = ".outcome"
COUNT_ANSWERED = """() => new MutationObserver((changes) => {
    for (const { target } of changes) {
        const bar = target.classList.contains("ask-bar");
        if (bar && !target.classList.contains("asks")) window.answered = (window.answered ?? 0) + 1;
    }
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["class"] })"""
"""Between two asks the bar may ask nothing for less than a frame."""


class Player:
    """One page with a table on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asks: list[str] = []
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._note)

    def _note(self, message: Any) -> None:
        # A table that is over has no review yet, and a server that is away answers nothing.
        lost = "Failed to load resource" in message.text or "ERR_" in message.text
        if message.type == "error" and not lost:
            self.complaints.append(message.text)

    def sit(self, address: str) -> None:
        self.page.goto(address)
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_selector("bull-replay.ready", timeout=PATIENCE_MS)
        self.page.evaluate(f"document.querySelector('bull-replay').haste = {HASTE}")
        self.page.evaluate(COUNT_ANSWERED)

    @property
    def over(self) -> bool:
        return self.page.locator(ENDED).count() > 0

    def wait(self) -> bool:
        """Until something is asked; False when the game is over."""
        self.page.wait_for_selector(f"{ASKED}, {ENDED}", timeout=PATIENCE_MS)
        if self.over:
            return False
        self.asks.append(self.page.locator(".ask-title").inner_text())
        return True

    def confirm(self) -> None:
        before = self.answered()
        self.page.locator(".own-buttons .confirm").click()
        self.sent(before)

    def answered(self) -> int:
        """How many asks have gone from the bar so far."""
        return int(self.page.evaluate("window.answered ?? 0"))

    def sent(self, before: int) -> None:
        self.page.wait_for_function("before => (window.answered ?? 0) > before", arg=before)

    def by_mouse(self, at: int = 0) -> None:
        """Choose one of what may be chosen, and confirm."""
        self.touch(at)
        self.confirm()

    def touch(self, at: int) -> None:
        """Touch one of what may be chosen where it can be seen: cards of a large hand overlap."""
        alive = self.page.locator(".alive")
        alive.nth(at % alive.count()).click(position={"x": 8, "y": 8})

    def by_keys(self) -> None:
        """The same with the keyboard alone."""
        press = self.page.keyboard.press
        press("ArrowRight")
        for _ in range(30):
            if self.page.locator(":focus.alive").count():
                break
            press("ArrowRight")
        else:
            # Nothing in the hand fits: up to the piles.
            press("ArrowUp")
        press("Enter")
        expect(self.page.locator(".own-buttons .confirm")).to_be_enabled()
        before = self.answered()
        press("Enter")
        self.sent(before)

    def hand(self) -> list[str]:
        return self.page.locator(".mine .hand .card .number").all_inner_texts()

    def verdict(self) -> str:
        return self.page.locator(f"{ENDED} h2").inner_text()

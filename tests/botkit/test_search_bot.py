"""The bot of docs/search-bot.md, as it stands there: it plays, and it searches."""

import re
from pathlib import Path

import pytest

from tests.botkit.test_client import match

PAGE = Path(__file__).resolve().parents[2] / "docs" / "search-bot.md"


@pytest.mark.anyio
async def test_the_bot_of_the_page_plays_without_a_fault(tmp_path: Path) -> None:
    code, *_ = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    # Five seconds a decision is what the test's clock gives; the bot of the page would take three.
    quick = code.replace("0.6 * self.free_time_ms", "0.002 * self.free_time_ms")
    assert quick != code
    result = await match(tmp_path, quick, boards=4)
    assert not result.bots[0].faults, result.bots[0].log
    notes = [note.text for game in result.games for note in game.notes[game.seats.index(0)]]
    assert notes
    assert all(re.fullmatch(r"\d+ rollouts, [+-]\d+\.\d\d against the others", n) for n in notes)
    points = [0, 0]
    for game in result.games:
        for seat, bot in enumerate(game.seats):
            points[bot] += game.points[seat]
    assert points[0] < points[1]

"""The lines between supervisor and referee: their names on the wire, and where they stand."""

import json
import re
from pathlib import Path

import pytest

from referee.lines import FromReferee, FromSupervisor, HowGone, ToWatchers
from sandbox.api import HowEnded

PROTOCOL = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"


def test_names_on_the_wire_stay_as_they_are() -> None:
    out = "need_pass freeze thaw dismiss pass_over game fault event lag debug result"
    assert set(out.split()) <= set(FromReferee)
    assert {"ready", "gone", "thawed", "stop"} <= set(FromSupervisor)
    assert {"progress", "unfit", "left"} == set(ToWatchers)
    assert not set(ToWatchers) & set(FromReferee), "whoever watches hears both"
    assert json.loads(json.dumps({"type": FromReferee.NEED_PASS})) == {"type": "need_pass"}


def test_every_end_that_a_sandbox_knows_has_its_name_in_the_line() -> None:
    assert set(HowGone) == {*HowEnded, "refused"}


@pytest.mark.parametrize("line", [*FromReferee, *FromSupervisor])
def test_every_line_is_in_the_table_of_the_protocol_page(
    line: FromReferee | FromSupervisor,
) -> None:
    part = PROTOCOL.read_text(encoding="utf-8").partition("## Supervisor and referee")[2]
    rows = [row for row in part.splitlines() if row.startswith("|")]
    assert any(re.search(rf"`{line}\b", row) for row in rows)

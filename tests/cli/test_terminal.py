"""Texts of strangers on their way to a terminal: no command lets one steer it or forge a line."""

import ast
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import cli
from cli.main import build_app
from cli.terminal import cell, clean, console, say_text
from dashboard.logs import configure_logs
from store import METADATA, Bot, Store, Worker, audit, inbox, utc_now, workers
from store.accounts import owner_by_handle
from tests.cli.author.test_author_commands import home, league, secret_of, signed_in, site
from tests.dashboard.conftest import plain_logs, quick_passwords, seeded, seeded_folder, settings
from tests.dashboard.conftest import store as store_fixture
from tests.dashboard.seed import Seeded

__all__ = [
    "home", "league", "plain_logs", "quick_passwords", "seeded", "seeded_folder", "settings",
    "signed_in", "site",
]  # fmt: skip

store = store_fixture
FORGED = "2026-01-01 00:00:00  boss: season.disqualify of spring (cheating)"
POISON = f"late\r\n{FORGED}\n\x1b[2J\x1b]0;title\x07\x9b31m\u202egnp.exe\u2066\u2028{FORGED}\x85"
# What a terminal or a reader of lines takes for more than text.
STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

TEXTS = {
    "owners": ("name",),
    "seasons": ("title", "about"),
    "entries": ("reason",),
    "bots": ("about", "suspended_why"),
    "versions": ("note", "log", "gate_wait"),
    "submissions": ("log",),
    "attempts": ("reason",),
    "faults": ("cause",),
    "matches": ("rated_why",),
    "tokens": ("name",),
    "ladder_entries": ("reason",),
    "audit_log": ("actor", "reason"),
    "inbox": ("title", "body"),
}
"""Columns whose text a person or a program outside has chosen."""

WALKED: dict[str, tuple[str, ...]] = {
    "audit": (),
    "workers": (),
    "account list": (),
    "account tokens": ("heron",),
    "account links": (),
    "account access": ("otter", "disable", "--reason", POISON),
    "season list": (),
    "season status": ("spring",),
    "season standings": ("spring",),
    "season time-left": ("spring",),
    "season fairness": ("spring",),
    "season replay-match": ("1", "--reason", POISON),
    "season withdraw": ("spring", "heron/dice", "--reason", POISON),
    "season disqualify": ("spring", "otter/stumble", "--reason", POISON),
    "season strike-match": ("1", "--reason", POISON),
    "season finish-without": ("spring",),
    "season delete": ("secret-plan",),
    "season dates": ("summer", "--ends", "2131-01-01"),
    "season pause": ("spring",),
    "season resume": ("spring",),
    "ladder open": ("six-nimmt",),
    "ladder list": (),
    "ladder standings": ("4",),
    "ladder why": ("heron/close",),
    "ladder fairness": ("4",),
    "ladder withdraw": ("4", "heron/close", "--reason", POISON),
    "ladder disqualify": ("4", "otter/stumble", "--reason", POISON),
    "ladder forgive": ("heron/close", "--reason", POISON),
    "ladder gates": (),
    "status": (),
    "logs": ("1",),
    "versions": ("close",),
    "messages": ("--all",),
    "leave": ("spring", "close", "--reason", POISON),
    "watch": ("--recent",),
    "friendly": ("close", "--refuse"),
    "friendlies": (),
}
"""Commands that print what is stored, or what a league has sent; the rest is below."""
OWN_WORDS = {
    "answers with what was typed, or with what the league says itself": (
        "login", "logout", "enter", "webhook", "invite", "account add", "account token",
        "account reset", "season open", "season freeze", "season start", "season call-off",
        "season finish", "season create", "season edit", "season enter", "season plan",
        "season rehearse", "season showcase", "season archive", "season verify-archive",
        "ladder pause", "ladder resume", "ladder close", "ladder settings", "ladder enter",
        "ladder gate", "ladder gate-cancel", "ladder gate-rule", "replay get",
    ),
    "works on files and bots of whoever types": (
        "play", "tournament", "check", "new", "simulate", "gate", "replay verify", "replay show",
        "review",
        "submit",
    ),
    "runs the league": (
        "demo", "up", "worker", "clock", "files", "backup", "restore", "doctor", "test", "lint",
        "db upgrade", "db roles", "db repack",
    ),
}  # fmt: skip


REACHED = {
    "account tokens", "audit", "ladder why", "logs", "messages", "season delete", "status",
    "versions", "workers",
}  # fmt: skip
"""Where it can be read on one line; tables fold it, and others print what they made of it."""


def commands(found: object, path: tuple[str, ...] = ()) -> Iterator[str]:
    below = getattr(found, "commands", None)
    if below is None:
        yield " ".join(path)
        return
    for name, one in below.items():
        yield from commands(one, (*path, name))


def test_every_command_is_walked_or_has_a_reason_why_not() -> None:
    spared = [name for names in OWN_WORDS.values() for name in names]
    known = sorted([*WALKED, *spared])
    assert known == sorted(commands(typer.main.get_command(build_app())))


@pytest.fixture
def poisoned(store: Store, seeded: Seeded, signed_in: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A league in which everybody has written what an attacker would; returns its address."""
    monkeypatch.setenv("BULLRING_DATABASE_URL", store.engine.url.render_as_string(False))
    monkeypatch.setenv("BULLRING_DATA_DIR", str(Path(str(store.engine.url.database)).parent))
    secret_of(store, "heron", "read")
    with store.write() as session:
        heron = owner_by_handle(session, "heron")
        assert heron is not None
        inbox.tell(session, heron.id, "version", "x", body="y", link="/mine")
        audit.record(session, "season.enter", "season", seeded.season_id, actor="x", reason="y")
        workers.beat(session, Worker(name="one" + POISON[:60], slots=1))
    with store.write() as session:
        for table, columns in TEXTS.items():
            for column in columns:
                target = METADATA.tables[table].c[column]
                room = getattr(target.type, "length", None) or 10_000
                session.execute(sa.update(METADATA.tables[table]).values({target: POISON[:room]}))
        session.execute(sa.update(Bot).values(suspended_at=utc_now()))
        for row in session.execute(sa.text("SELECT id, standings FROM seasons")).all():
            if row.standings:
                names = json.loads(row.standings)
                for one in names["rows"]:
                    one["bot"] = POISON
                change = sa.text("UPDATE seasons SET standings = :new WHERE id = :id")
                session.execute(change, {"new": json.dumps(names), "id": row.id})
    return signed_in


REFUSED = {"ladder standings", "season strike-match", "season finish-without"}
"""Nothing was played on the ladder, and no match is stuck."""


def test_no_text_of_a_stranger_steers_the_terminal_or_forges_a_line(poisoned: str) -> None:
    shown = set()
    for command, arguments in WALKED.items():
        typed = [*command.split(), *arguments]
        result = CliRunner().invoke(build_app(), typed, input="y\n")
        assert result.exit_code == (2 if command in REFUSED else 0), result.output
        assert not STEERS.search(result.output), f"{command}: {result.output!r}"
        lines = result.output.splitlines()
        # A log is printed as it is, and nothing else with it: there is no line of ours to forge.
        if command != "logs":
            assert not [line for line in lines if line.startswith(FORGED[:19])], command
        if FORGED[:10] in result.output:
            shown.add(command)
    assert shown == REACHED, "the poison must come so far that it could do harm"


def test_an_audit_line_is_one_line_whatever_the_reason(poisoned: str) -> None:
    result = CliRunner().invoke(build_app(), ["audit", "--limit", "3"])
    assert result.exit_code == 0
    assert len(result.output.splitlines()) == 3
    assert "\\n2026-01-01" in result.output
    told = CliRunner().invoke(build_app(), ["audit", "--limit", "3", "--json"])
    assert {json.loads(line)["reason"] for line in told.output.splitlines()} == {POISON}


def test_only_one_module_prints() -> None:
    folder = Path(cli.__file__).parent
    wrong = []
    for file in sorted(folder.rglob("*.py")):
        if file.name == "terminal.py" or "templates" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called in ("print", "typer.echo", "typer.secho", "Console", "sys.stdout.write"):
                    wrong.append(f"{file.relative_to(folder)}:{node.lineno}: {called}")
    assert wrong == []


@given(st.text(st.characters()))
def test_clean_text_is_one_harmless_line(text: str) -> None:
    done = clean(text)
    assert not STEERS.search(done)
    assert len(done.splitlines()) <= 1
    done.encode()


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_clean_json_is_the_same_json(document: object) -> None:
    assert json.loads(clean(json.dumps(document, ensure_ascii=False))) == document


def test_a_log_keeps_its_lines_and_loses_its_colours(capsys: pytest.CaptureFixture[str]) -> None:
    say_text("\x1b[31mred\x1b[0m\r\nsecond\x1b[2J\n", indent="  ")
    assert capsys.readouterr().out == "  red\n  second\\u001b[2J\n"


def test_a_cell_of_a_table_is_text_and_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(cell("[red]a\nb[/red]\x1b[2J"))
    assert capsys.readouterr().out == "[red]a\\nb[/red]\\u001b[2J\n"


def test_logs_hold_no_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    import logging

    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    configure_logs()
    logging.getLogger("anything").warning("said %s", POISON)
    monkeypatch.undo()
    configure_logs()
    assert FORGED in written.getvalue()
    assert not STEERS.search(written.getvalue())
    assert len(written.getvalue().splitlines()) == 1

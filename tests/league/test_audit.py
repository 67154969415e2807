"""The audit log's acts: one list of them, used by all who write, with words for all who read."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.reads.audit import ACTION_SENTENCES
from league.audit import Action

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "league" / "audit.py"
PACKAGES = ("store", "league", "dashboard", "cli")
# As they stand in logs out there. More may come; none of these may go or be spelled otherwise.
STORED = [
    "account.author",
    "account.disable",
    "account.enable",
    "account.made",
    "account.organiser",
    "account.password",
    "account.reset",
    "bot.changed",
    "bot.lift",
    "bot.made",
    "bot.suspend",
    "bot.version",
    "entry.disqualified",
    "entry.withdrawn",
    "gate.cancel",
    "gate.failed",
    "gate.open",
    "gate.passed",
    "gate.rule",
    "gate.undecided",
    "invitation.made",
    "ladder.close",
    "ladder.disqualify",
    "ladder.enter",
    "ladder.open",
    "ladder.pause",
    "ladder.resume",
    "ladder.settings",
    "ladder.withdraw",
    "match.play_again",
    "match.showcase",
    "owner.webhook",
    "season.archive",
    "season.call_off",
    "season.create",
    "season.dates",
    "season.delete",
    "season.disqualify",
    "season.edit",
    "season.ends_at.failed",
    "season.enter",
    "season.entered",
    "season.extend",
    "season.finish",
    "season.freeze",
    "season.freezes_at.failed",
    "season.open",
    "season.opens_at.failed",
    "season.pause",
    "season.rehearse",
    "season.rehearse_stop",
    "season.resume",
    "season.start",
    "season.starts_at.failed",
    "submission.received",
    "token.ended",
    "token.made",
]


def spelled_actions(source: str) -> Iterator[str]:
    """Acts that a module spells itself: a name of the list, or any text given to the log."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in list(Action):
            yield f"line {node.lineno}: {node.value!r}"
        if isinstance(node, ast.Call) and is_record(node.func):
            keywords = {keyword.arg: keyword.value for keyword in node.keywords}
            action = node.args[1] if len(node.args) > 1 else keywords.get("action")
            if isinstance(action, ast.Constant | ast.JoinedStr | ast.BinOp | None):
                yield f"line {node.lineno}: a text made on the spot"


def is_record(called: ast.expr) -> bool:
    """Whether this is `audit.record`, under whatever name the module was imported."""
    if not isinstance(called, ast.Attribute) or called.attr != "record":
        return False
    owner = called.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return name in {"audit", "audit_log"}


def test_no_module_spells_an_act_itself() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}, {found}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if path != HOME
        for found in spelled_actions(path.read_text(encoding="utf-8"))
    ]
    assert not wrong


@pytest.mark.parametrize(
    "source",
    [
        "act = 'season.freeze'",
        "audit.record(session, f'gate.{state}', 'gate', actor=actor)",
        "store.audit.record(session, 'gate.' + state, 'gate', actor=actor)",
        "audit_log.record(session, action='made.up', actor=actor)",
    ],
)
def test_the_search_finds_what_it_should(source: str) -> None:
    assert list(spelled_actions(source))


def test_the_search_leaves_the_list_itself_alone() -> None:
    assert not list(spelled_actions("store.audit.record(session, Action.BOT_MADE, 'bot')"))


def test_what_is_in_logs_out_there_keeps_its_name() -> None:
    assert set(STORED) <= {action.value for action in Action}


def test_every_act_has_words() -> None:
    assert set(ACTION_SENTENCES) == set(Action)
    assert all(words and words[0].islower() for words in ACTION_SENTENCES.values())

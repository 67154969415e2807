"""One act, several doors: by page, API and command line it has one result and one audit line."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fastapi import FastAPI
from httpx2 import Response
from sqlmodel import select
from typer.testing import CliRunner

from cli.main import build_app
from dashboard.settings import Settings
from league import ladder as ladders
from league.audit import Action
from league.authors.bots import BY_AUTHOR
from league.authors.tokens import issue_token
from league.ladder import LadderPlan, WhyNot
from store import (
    EntryState,
    Invitation,
    InvitationKind,
    Ladder,
    Match,
    MatchState,
    Owner,
    Role,
    Store,
    Token,
    accounts,
    audit,
    bots,
    friendlies,
    seasons,
)
from tests.dashboard.conftest import api_token, browser
from tests.dashboard.serving import served

BOT = "heron/dice"
MANAGE = "/bots/heron/dice/manage"
SCOPES = {"scope-read": "1"}
Line = Mapping[str, object]


class World:
    """A league with all its doors, and what is known of it afterwards."""

    def __init__(self, app: FastAPI, store: Store, site: str) -> None:
        self.app, self.store, self.site = app, store, site
        with store.write() as session:
            plan = LadderPlan(rules="six-nimmt", options={"rounds": 1}, boards=4)
            self.ladder = ladders.open_ladder(session, plan, "test").id
            heron = accounts.owner_by_handle(session, "heron")
            assert heron is not None
            self.heron = heron
            self.token = issue_token(session, heron.id, "old", ["read"])[0].id
        # What is asked for first, so that the latest line is the act's.
        self.secret = {
            who: api_token(store, who, "read", "manage", *("organise",) * (who == "boss"))
            for who in ("heron", "boss")
        }

    def page(self, path: str, on: str = MANAGE, who: str = "heron", **fields: str) -> None:
        with browser(self.app, who) as client:
            answer = client.submit(path, fields, on=on)
            assert answer.status_code in (200, 303), answer.text

    def api(self, method: str, path: str, body: object = None, who: str = "heron") -> Response:
        with browser(self.app) as client:
            headers = self.secret[who]
            answer = client.request(method, f"/api/v1{path}", json=body, headers=headers)
            assert answer.is_success, answer.text
            return answer

    def author(self, *words: str) -> str:
        """A command of the author, who works against the server."""
        token = self.secret["heron"]["authorization"].removeprefix("Bearer ")
        return self.operator(*words, "--server", self.site, "--token", token)

    def operator(self, *words: str) -> str:
        """A command on the machine of the league."""
        result = CliRunner().invoke(build_app(), words)
        assert result.exit_code == 0, result.output
        return result.output

    def lines(self) -> list[Line]:
        """What the log says, newest first, without times and numbers."""
        with self.store.read() as session:
            names = ("action", "subject", "actor", "reason", "detail")
            return [{one: getattr(row, one) for one in names} for row in audit.page(session)]

    def owner(self) -> Owner:
        with self.store.read() as session:
            found = accounts.owner_by_handle(session, "heron")
        assert found is not None
        return found


@dataclass(frozen=True, kw_only=True)
class Act:
    """One act through all its doors."""

    doors: Mapping[str, Callable[[World], object]]
    line: Line
    done: Callable[[World], bool]
    before: Callable[[World], object] = field(default=lambda world: None)


def line(action: Action, subject: str, *, actor: str = "heron", **more: object) -> Line:
    return {"action": action, "subject": subject, "actor": actor, "reason": "", "detail": {}} | more


def entry_state(world: World, season: str) -> EntryState | None:
    with world.store.read() as session:
        row, bot = seasons.by_name(session, season), bots.find_bot(session, BOT)
        assert row is not None
        assert bot is not None
        found = [one for one in seasons.entries(session, row.id) if one.bot_id == bot.id]
        return found[0].state if found else None


def bot_is(world: World, **facts: object) -> bool:
    with world.store.read() as session:
        bot = bots.find_bot(session, BOT)
        return all(getattr(bot, name) == value for name, value in facts.items())


def has_link(world: World, kind: InvitationKind, owner_id: int | None) -> bool:
    with world.store.read() as session:
        found = session.exec(select(Invitation)).all()
    return [(one.kind, one.owner_id) for one in found] == [(kind, owner_id)]


def is_withdrawn(world: World) -> bool:
    with world.store.read() as session:
        ladder = session.get(Ladder, world.ladder)
        assert ladder is not None
        return ladders.why_idle(session, ladder, BOT).reason is WhyNot.WITHDRAWN


def withdraw_first(world: World) -> None:
    with world.store.write() as session:
        ladders.take_out(session, world.ladder, BOT, "test", "x", by_author=True)


def ladder_act(
    name: str, api: str, body: dict[str, object]
) -> dict[str, Callable[[World], object]]:
    return {
        "page": lambda w: w.page(f"/bots/{BOT}/ladders/{w.ladder}/{name}"),
        "api": lambda w: w.api("POST", f"/ladders/{w.ladder}/{api}", body),
        "cli": lambda w: w.author(name, f"ladder/{w.ladder}", "dice"),
    }


def access_act(access: str) -> dict[str, Callable[[World], object]]:
    return {
        "page": lambda w: w.page(
            f"/organiser/accounts/{w.heron.id}/access", "/organiser", "boss", act=access, reason="r"
        ),
        "api": lambda w: w.api(
            "POST", "/accounts/heron/access", {"access": access, "reason": "r"}, "boss"
        ),
        "cli": lambda w: w.operator("account", "access", "heron", access, "--reason", "r"),
    }


ACTS = {
    "enter a season": Act(
        doors={
            "page": lambda w: w.page("/seasons/summer/enter", "/seasons/summer", bot="dice"),
            "api": lambda w: w.api("POST", "/seasons/summer/entries", {"bot": "dice"}),
            "cli": lambda w: w.author("enter", "summer", "dice"),
        },
        line=line(Action.SEASON_ENTER, "season", detail={"bot": BOT}),
        done=lambda w: entry_state(w, "summer") is EntryState.ENTERED,
    ),
    "leave a season": Act(
        doors={
            "page": lambda w: w.page("/seasons/spring/withdraw", "/seasons/spring", bot="dice"),
            "api": lambda w: w.api("POST", "/seasons/spring/withdraw", {"bot": BOT}),
            "cli": lambda w: w.author("leave", "spring", "dice"),
        },
        line=line(
            Action.ENTRY_WITHDRAWN,
            "entry",
            reason=BY_AUTHOR,
            detail={
                "results_stand": True,
                "matches_struck": 0,
                "matches_filled": 0,
                "matches_cancelled": 0,
            },
        ),
        done=lambda w: entry_state(w, "spring") is EntryState.WITHDRAWN,
    ),
    "leave a ladder": Act(
        doors=ladder_act("leave", "withdraw", {"bot": BOT}),
        line=line(Action.LADDER_WITHDRAW, "ladder", reason=BY_AUTHOR, detail={"bot": BOT}),
        done=is_withdrawn,
    ),
    "go back to a ladder": Act(
        before=withdraw_first,
        doors=ladder_act("enter", "enter", {"bots": [BOT]}),
        line=line(Action.LADDER_ENTER, "ladder", detail={"bot": BOT}),
        done=lambda w: not is_withdrawn(w),
    ),
    "let a bot rest": Act(
        doors={
            "page": lambda w: w.page(f"/bots/{BOT}/version", version="rest"),
            "api": lambda w: w.api("PATCH", f"/bots/{BOT}", {"rest": True}),
            "cli": lambda w: w.author("versions", "dice", "--rest"),
        },
        line=line(Action.BOT_VERSION, "bot", detail={"version": None}),
        done=lambda w: bot_is(w, current_version=None),
    ),
    "choose a version": Act(
        doors={
            "page": lambda w: w.page(f"/bots/{BOT}/version", version="1"),
            "api": lambda w: w.api("PATCH", f"/bots/{BOT}", {"current_version": 1}),
            "cli": lambda w: w.author("versions", "dice", "--use", "1"),
        },
        line=line(Action.BOT_VERSION, "bot", detail={"version": 1}),
        done=lambda w: bot_is(w, current_version=1),
    ),
    "describe a bot": Act(
        doors={
            "page": lambda w: w.page(
                f"/bots/{BOT}/manage", about="New.", **{f"rules-{g}": "1" for g in ("x-nimmt",)}
            ),
            "api": lambda w: w.api(
                "PATCH", f"/bots/{BOT}", {"about": "New.", "rules": ["x-nimmt"]}
            ),
        },
        line=line(Action.BOT_CHANGED, "bot", detail={"about": "New.", "rules": ["x-nimmt"]}),
        done=lambda w: bot_is(w, about="New.", rules=["x-nimmt"]),
    ),
    "take no friendly matches": Act(
        doors={
            "page": lambda w: w.page(f"/bots/{BOT}/friendlies", "/mine", friendlies="0"),
            "api": lambda w: w.api("PATCH", f"/bots/{BOT}", {"friendlies": False}),
            "cli": lambda w: w.author("friendly", "dice", "--refuse"),
        },
        line=line(Action.BOT_CHANGED, "bot", detail={"friendlies": False}),
        done=lambda w: bot_is(w, friendlies=False),
    ),
    "ask for a friendly match": Act(
        doors={
            "page": lambda w: w.page(
                "/friendlies",
                "/friendlies",
                bot="dice@1",
                rules="x-nimmt",
                boards="4",
                **{"opponent-1": "lowest", "opponent-3": "greedy"},
            ),
            "api": lambda w: w.api(
                "POST",
                "/friendlies",
                {"bot": "dice", "opponents": ["lowest", "greedy"], "rules": "x-nimmt", "boards": 4},
            ),
            "cli": lambda w: w.author(
                *("friendly", "dice", "lowest", "greedy", "--rules", "x-nimmt", "-b", "4"),
                "--detach",
            ),
        },
        line=line(
            Action.FRIENDLY_ASK,
            "match",
            detail={
                "table": ["heron/dice@1", "house/lowest@1", "house/greedy@1"],
                "rules": "x-nimmt",
            },
        ),
        done=lambda w: [(m.boards, m.passes) for m in own_friendlies(w)] == [(4, 3)],
    ),
    "call a friendly match off": Act(
        before=lambda w: ask_friendly(w),
        doors={
            "page": lambda w: w.page(f"/friendlies/{newest(w)}/cancel", "/friendlies"),
            "api": lambda w: w.api("POST", f"/friendlies/{newest(w)}/cancel"),
            "cli": lambda w: w.author("friendlies", str(newest(w)), "--cancel"),
        },
        line=line(Action.FRIENDLY_CANCEL, "match"),
        done=lambda w: own_friendlies(w)[0].state is MatchState.CANCELLED,
    ),
    "end a token": Act(
        doors={
            "page": lambda w: w.page(f"/mine/tokens/{w.token}/end", "/mine"),
            "api": lambda w: w.api("DELETE", f"/tokens/{w.token}"),
            "cli": lambda w: w.operator("account", "tokens", "heron", "--end", str(w.token)),
        },
        line=line(Action.TOKEN_ENDED, "token"),
        done=lambda w: w.token not in {one.id for one in tokens(w)},
    ),
    "make a token": Act(
        doors={
            "page": lambda w: w.page("/mine/tokens", "/mine", name="command line", **SCOPES),
            "api": lambda w: w.api("POST", "/tokens", {"name": "command line", "scopes": ["read"]}),
            "cli": lambda w: w.operator("account", "token", "heron", "--scope", "read"),
        },
        line=line(Action.TOKEN_MADE, "token"),
        done=lambda w: ("command line", ["read"]) in [(one.name, one.scopes) for one in tokens(w)],
    ),
    "make an organiser": Act(
        doors=access_act("organiser"),
        line=line(Action.ACCOUNT_ORGANISER, "owner", actor="boss", reason="r"),
        done=lambda w: w.owner().role is Role.ORGANISER,
    ),
    "shut an account out": Act(
        doors=access_act("disable"),
        line=line(Action.ACCOUNT_DISABLE, "owner", actor="boss", reason="r"),
        done=lambda w: w.owner().disabled_at is not None,
    ),
    "make a link for a password": Act(
        doors={
            "page": lambda w: w.page(
                f"/organiser/accounts/{w.heron.id}/reset", "/organiser", "boss"
            ),
            "api": lambda w: w.api("POST", "/accounts/heron/reset", who="boss"),
            "cli": lambda w: w.operator("account", "reset", "heron"),
        },
        line=line(Action.ACCOUNT_RESET, "owner", actor="boss"),
        done=lambda w: has_link(w, InvitationKind.PASSWORD_RESET, w.heron.id),
    ),
    "invite": Act(
        doors={
            "page": lambda w: w.page(
                "/organiser/invitations", "/organiser", "boss", role="author", note="for Ada"
            ),
            "api": lambda w: w.api("POST", "/invitations", {"note": "for Ada"}, "boss"),
            "cli": lambda w: w.operator("invite", "--note", "for Ada"),
        },
        line=line(
            Action.INVITATION_MADE,
            "invitation",
            actor="boss",
            detail={"role": "author", "note": "for Ada"},
        ),
        done=lambda w: has_link(w, InvitationKind.SIGN_UP, None),
    ),
}
OPERATED = {"end a token", "make a token", "make an organiser", "shut an account out"} | {
    "make a link for a password",
    "invite",
}
"""Whose command works on the league's machine, in the name of nobody's account."""


def own_friendlies(world: World) -> list[Match]:
    with world.store.read() as session:
        return [match for _, match in friendlies.page(session, owner_id=world.heron.id)]


def newest(world: World) -> int:
    return own_friendlies(world)[0].id


def ask_friendly(world: World) -> None:
    world.api("POST", "/friendlies", {"bot": "dice", "opponents": ["greedy"], "rules": "x-nimmt"})


def tokens(world: World) -> list[Token]:
    with world.store.read() as session:
        return accounts.tokens(session, world.heron.id)


@pytest.fixture
def world(
    app: FastAPI, store: Store, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("BULLRING_DATA_DIR", str(settings.data_dir))
    for name in ("BULLRING_DATABASE_URL", "BULLRING_API_TOKEN", "BULLRING_SERVER"):
        monkeypatch.delenv(name, raising=False)
    with served(settings, store) as site:
        yield World(app, store, site)


@pytest.mark.parametrize(
    ("name", "door"), [(name, door) for name, act in ACTS.items() for door in act.doors]
)
def test_an_act_has_one_result_and_one_line_through_every_door(
    world: World, name: str, door: str
) -> None:
    act = ACTS[name]
    act.before(world)
    known = len(world.lines())
    act.doors[door](world)
    new = world.lines()[: len(world.lines()) - known]
    actor = "command line" if door == "cli" and name in OPERATED else act.line["actor"]
    assert new == [{**act.line, "actor": actor}]
    assert act.done(world)


def test_a_rest_and_a_version_at_once_are_refused(world: World) -> None:
    with browser(world.app) as client:
        wish = {"rest": True, "current_version": 1}
        headers = world.secret["heron"]
        answer = client.patch(f"/api/v1/bots/{BOT}", json=wish, headers=headers)
    assert answer.status_code == 422
    result = CliRunner().invoke(build_app(), ["versions", "dice", "--rest", "--use", "1"])
    assert result.exit_code == 2
    assert bot_is(world, current_version=1)


def test_old_lines_of_the_log_are_told_in_the_same_words(world: World) -> None:
    """Authors' entries had a name of their own once, and named the bot by its number."""
    with world.store.write() as session:
        season, bot = seasons.by_name(session, "summer"), bots.find_bot(session, BOT)
        assert season is not None
        assert bot is not None
        audit.record(
            session,
            Action.SEASON_ENTERED,
            "season",
            season.id,
            actor=world.heron,
            detail={"bot": bot.id},
        )
    world.author("enter", "summer", "dice")
    with browser(world.app, "boss") as client:
        page = client.get("/organiser/audit").text
    assert "season.entered</code>" in page
    assert "season.enter</code>" in page
    assert page.count(f"entered {BOT} in ") >= 2
    assert page.count(BOT) >= 2

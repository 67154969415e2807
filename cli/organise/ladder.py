"""`bullring ladder`: open, run and read ladders, and ask why a bot is not playing."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from api_models.base import Given
from cli.on_store import (
    ACTOR,
    BotArgument,
    JsonOption,
    ReasonOption,
    change,
    open_database,
    refusals,
)
from cli.options import OptionOption, RulesArgument, parse_options, refuse
from cli.tables import LEGEND, print_standings
from cli.terminal import say, say_json, say_text
from league.given import help_of
from league.ladder import LadderSettings, LadderWords
from league.words import counted

if TYPE_CHECKING:
    from store import Ladder

USUAL = LadderWords()
ladder = typer.Typer(no_args_is_help=True, help="Open, run and read ladders.")
LadderArgument = Annotated[
    int, typer.Argument(metavar="LADDER", help="Its number, from `bullring ladder list`.")
]
AnyLadder = Annotated[
    int | None,
    typer.Option("--ladder", min=1, help="The ladder's number. Default: all of the bot's rules."),
]


def _option(field: str, model: type[Given] = LadderWords) -> Any:
    """An option for a field of the plan, with the plan's own words and bounds."""
    return typer.Option(help=help_of(model, field))


def find_ladder(session: Any, number: int) -> "Ladder":
    """The ladder of that number, or the end of the command."""
    import store

    found = [one for one in store.ladders.ladders(session) if one.id == number]
    if not found:
        known = ", ".join(str(one.id) for one in store.ladders.ladders(session)) or "none yet"
        refuse(f"there is no ladder {number}; known are: {known}")
    return found[0]


def _title(one: "Ladder") -> str:
    from league.words import option_words

    options = option_words(one.options)
    game = f"{one.rules}, tables of {one.table_size}" + (f" ({options})" if options else "")
    return f"{one.title}: {game}" if one.title else game


@ladder.command("open")
def open_(
    rules: RulesArgument,
    table: Annotated[int, _option("table")] = USUAL.table,
    boards: Annotated[int, _option("boards")] = USUAL.boards,
    longest_wait: Annotated[float | None, _option("longest_wait")] = None,
    cap: Annotated[int, _option("cap")] = USUAL.cap,
    move_ms: Annotated[int, _option("move_ms")] = USUAL.move_ms,
    bank_ms: Annotated[int, _option("bank_ms")] = USUAL.bank_ms,
    option: OptionOption = None,
    title: Annotated[str, _option("title")] = USUAL.title,
) -> None:
    """Open the ladder of these rules, options and table size. All bots of these rules play."""
    from league import ladder as ladders

    with refusals():
        plan = ladders.LadderPlan(
            title=title,
            rules=rules,
            options=parse_options(option),
            table=table,
            boards=boards,
            longest_wait=longest_wait,
            cap=cap,
            move_ms=move_ms,
            bank_ms=bank_ms,
        )
    made = change(lambda session: ladders.open_ladder(session, plan, ACTOR))
    say(
        f"Ladder {made.id} is open: {_title(made)}, {counted(made.boards, 'board')} a match."
        " Platform bots fill tables; to let one compete:"
        f" bullring ladder enter {made.id} house/NAME"
    )


@ladder.command()
def pause(number: LadderArgument) -> None:
    """Make no matches for now; what is queued is still played."""
    _take(number, "pause")


@ladder.command()
def resume(number: LadderArgument) -> None:
    """Make matches again on a paused or closed ladder, with the settings it has."""
    _take(number, "resume")


@ladder.command()
def close(number: LadderArgument) -> None:
    """Make no more matches; what is queued is still played. The standings stay."""
    _take(number, "close")


def _take(number: int, step_name: str) -> None:
    """Take the step of that name, and say how to go on."""
    from league.ladder import LADDER_STEPS
    from league.steps import named, offered

    step = named(LADDER_STEPS, step_name)
    change(lambda session: step.take(session, find_ladder(session, number).id, ACTOR))
    onward = [one.name for one in offered(LADDER_STEPS, step.to) if one.forward]
    then = f" It goes on with: bullring ladder {onward[0]} {number}" if onward else ""
    say(f"Ladder {number} is {step.to}.{then}")


@ladder.command()
def settings(
    number: LadderArgument,
    title: Annotated[str | None, _option("title")] = None,
    boards: Annotated[int | None, _option("boards")] = None,
    longest_wait: Annotated[float | None, _option("longest_wait", LadderSettings)] = None,
    cap: Annotated[int | None, _option("cap")] = None,
    move_ms: Annotated[int | None, _option("move_ms")] = None,
    bank_ms: Annotated[int | None, _option("bank_ms")] = None,
) -> None:
    """Change the settings of future matches; what is left out stays."""

    def act(session: Any) -> Any:
        from league import ladder as ladders

        ladder_id = find_ladder(session, number).id
        changed = ladders.set_settings(
            session,
            ladder_id,
            ACTOR,
            title=title,
            boards=boards,
            cap=cap,
            longest_wait=longest_wait,
            move_ms=move_ms,
            bank_ms=bank_ms,
        )
        return ladders.plan_of(changed)

    plan = change(act)
    promise = "what the fleet can hold" if plan.longest_wait is None else f"{plan.longest_wait:g} s"
    say(
        f"Ladder {number}: {counted(plan.boards, 'board')} a match, {plan.move_ms} ms per move"
        f" and {plan.bank_ms} ms in the bank, longest wait {promise}, at most"
        f" {counted(plan.cap, 'match', 'matches')} of one bot at once."
    )


@ladder.command()
def enter(
    number: LadderArgument,
    bots: Annotated[list[str], typer.Argument(metavar="OWNER/BOT…", help="Full names.")],
) -> None:
    """Put back bots that were taken out, or let platform bots compete for a place."""

    def act(session: Any) -> None:
        from league import ladder as ladders

        for bot in bots:
            ladders.enter(session, find_ladder(session, number).id, bot, ACTOR)

    change(act)
    say(f"Entered {', '.join(bots)}.")


@ladder.command()
def withdraw(number: LadderArgument, bot: BotArgument, reason: ReasonOption = "") -> None:
    """Take a bot out of a ladder at its author's request."""
    _take_out(number, bot, reason, by_author=True)
    say(f"{bot} is withdrawn. Back again: bullring ladder enter {number} {bot}")


@ladder.command()
def disqualify(number: LadderArgument, bot: BotArgument, reason: ReasonOption) -> None:
    """Take a bot out of a ladder for what it did."""
    _take_out(number, bot, reason, by_author=False)
    say(f"{bot} is disqualified.")


def _take_out(number: int, bot: str, reason: str, *, by_author: bool) -> None:

    from league import ladder as ladders

    change(
        lambda session: ladders.take_out(
            session, find_ladder(session, number).id, bot, ACTOR, reason, by_author=by_author
        )
    )


@ladder.command()
def forgive(bot: BotArgument, reason: ReasonOption) -> None:
    """Lift the suspension of a bot that kept failing."""

    from league import ladder as ladders

    change(lambda session: ladders.forgive(session, bot, ACTOR, reason))
    say(f"{bot} plays again.")


@ladder.command("list")
def list_() -> None:
    """All ladders."""
    import store

    with open_database().read() as session:
        found = store.ladders.ladders(session)
        for one in found:
            boards = counted(one.boards, "board")
            say(f"{one.id}: {one.state}, {_title(one)}, {boards} a match")
    if not found:
        say("There is no ladder yet. Open one: bullring ladder open six-nimmt")


@ladder.command()
def standings(number: LadderArgument, as_json: JsonOption = False) -> None:
    """The table, every number with its error."""

    import store
    from league import ratings

    database = open_database()
    with database.read() as session:
        ladder_id = find_ladder(session, number).id
    if ratings.refresh(database, ladder_id) is None:
        refuse(f"no bot on ladder {number} has a result yet")
    with database.read() as session:
        found = find_ladder(session, number)
        table = store.scales.scale(session, found.id).standings or {}
    if as_json:
        say_json(table)
        return
    print_standings(_title(found), table)
    say_text(LEGEND)


@ladder.command()
def why(
    bot: BotArgument,
    number: AnyLadder = None,
    version: Annotated[int | None, typer.Option(min=1, help="An older version of it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Why is this bot not playing? One reason for each ladder."""
    import store
    from league import ladder as ladders

    with open_database().read() as session:
        chosen = (
            store.ladders.ladders(session) if number is None else [find_ladder(session, number)]
        )
        if not chosen:
            refuse("there is no ladder yet; open one: bullring ladder open RULES")
        try:
            found = [(one, ladders.why_idle(session, one, bot, version)) for one in chosen]
        except store.NotFound as error:
            refuse(str(error))
    if as_json:
        say_json([{"ladder": one.id, **answer.to_json()} for one, answer in found])
        return
    for one, answer in found:
        detail = f" ({answer.detail})" if answer.detail else ""
        say(f"Ladder {one.id}, {_title(one)}: {answer.reason.value}{detail}")
        coming = counted(answer.in_flight, "match", "matches")
        say(
            f"  {coming} on the way, idle for {answer.idle_seconds:.0f} s,"
            f" promised longest wait {answer.longest_wait:.0f} s"
        )


@ladder.command()
def fairness(number: LadderArgument, as_json: JsonOption = False) -> None:
    """Which bots gain beside which, choose alike, or have owners that belong together."""
    from cli.organise.season.fairness import say_fairness
    from league.ratings import ladder_fairness

    database = open_database()
    with database.read() as session:
        found = find_ladder(session, number)
    report = ladder_fairness(database, found)
    if as_json:
        say_json(report.to_json())
        return
    say_fairness(report)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(ladder, name="ladder")

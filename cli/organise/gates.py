"""`bullring ladder gate`, `gates`, `gate-cancel` and `gate-rule`: version gates of the league."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from cli.on_store import ACTOR, BotArgument, JsonOption, ReasonOption, change, open_database
from cli.options import refuse
from cli.organise.ladder import LadderArgument, find_ladder, ladder
from cli.terminal import say, say_json


@ladder.command()
def gate(
    number: LadderArgument,
    bot: BotArgument,
    new: Annotated[int, typer.Option(min=1, help="The version that wants to play.")],
    old: Annotated[
        int | None,
        typer.Option(min=1, help="The version to compare with. Default: the one with the place."),
    ] = None,
    replace: Annotated[bool, typer.Option(help="Let it play when it passes.")] = True,
    gain: Annotated[
        float, typer.Option(help="Points per round, above 0, by which it is to be better.")
    ] = 0.5,
) -> None:
    """Compare a new version of a bot with the old one in matches of their own."""
    from api_models.words import why_not_counted
    from league.gate import GateSettings, open_gate

    def act(session: Any) -> Any:
        try:
            asked = GateSettings(gain=gain)
        except ValueError as error:
            refuse(str(error))
        ladder_id = find_ladder(session, number).id
        return open_gate(
            session,
            ladder_id,
            bot,
            new,
            ACTOR,
            old=old,
            replace=replace,
            asked=asked,
            as_organiser=True,
        )

    made = change(act)
    say(
        f"Gate {made.id} is open: attempt {made.settings['attempt']} of this owner."
        f" Follow it: bullring ladder gates"
    )
    if why := why_not_counted(made.report):
        say(f"It is for information only: {why}.")


@ladder.command()
def gates(as_json: JsonOption = False) -> None:
    """All version gates and what they say, newest first."""
    from api_models.words import with_both_names
    from dashboard.reads import all_gates

    with open_database().read() as session:
        found = all_gates(session)
    if as_json:
        rows = [
            {
                "gate": one.gate.id,
                "bot": one.bot,
                "new": one.new,
                "old": one.old,
                "state": one.gate.state.value,
                "report": with_both_names(one.gate.report) if one.gate.report else None,
            }
            for one in found
        ]
        say_json(rows)
        return
    if not found:
        say("There is no gate yet. Open one: bullring ladder gate LADDER OWNER/BOT --new 2")
    for one in found:
        state = one.gate.state.value
        say(f"{one.gate.id}: {one.bot} {one.new} against {one.old}, {state}")
        if one.words:
            say(f"  {one.words}")


@ladder.command()
def gate_cancel(
    number: Annotated[int, typer.Argument(metavar="GATE", help="Its number, from `gates`.")],
    reason: ReasonOption,
) -> None:
    """Stop a gate that is being played. The attempt counts, because results were seen."""
    from league.gate import cancel

    change(lambda session: cancel(session, number, ACTOR, reason))
    say(f"Gate {number} is cancelled; its matches count in no table.")


class Asked(StrEnum):
    """What new versions need."""

    TRUE = "true"
    """They have to pass a gate before they play."""
    FALSE = "false"
    """They play as soon as they have passed their check."""
    LEAGUE = "league"
    """For one bot: back to the rule of the league."""


@ladder.command()
def gate_rule(
    required: Annotated[
        Asked,
        typer.Argument(
            help="true: new versions have to pass a gate before they play. league, with --bot:"
            " drop its own rule, follow the league's."
        ),
    ],
    bot: Annotated[str | None, typer.Option(metavar="OWNER/BOT", help="Only this bot.")] = None,
) -> None:
    """Set whether new versions have to pass a gate: in the whole league, or for one bot."""
    import store
    from league.gate import rule_sentence, set_rule

    asked = None if required is Asked.LEAGUE else required is Asked.TRUE

    def act(session: Any) -> None:
        found = None if bot is None else store.bots.find_bot(session, bot)
        if bot is not None and found is None:
            refuse(f"there is no bot {bot!r}; bots are named OWNER/NAME")
        set_rule(session, asked, ACTOR, found)

    change(act)
    say(rule_sentence(asked, bot))


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring ladder` already."""

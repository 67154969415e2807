"""`bullring review --bot`: where a bot loses points, by a random sample that the league reviews."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli.author.remote.options import connected
from cli.author.status import full_name
from cli.local import printable
from cli.options import refuse
from cli.progress import progress
from cli.terminal import say, say_json

if TYPE_CHECKING:
    from api_models.reviews import BotReviewOut, MeanOut
    from cli.author.remote.client import Client

LOOK_SECONDS = 2.0


def tell_bot(bot: str, sample: int, as_json: bool, server: str | None, token: str | None) -> None:
    """Ask for the sample, wait for its reviews, and print what they say."""
    with connected(server, token) as client:
        report = _reviewed(client, full_name(client, bot), sample)
        if not report.sample:
            refuse(f"{report.bot} has played no games yet; there is nothing to review")
        if as_json:
            say_json(report.model_dump(mode="json"))
            return
        for line in report_lines(report, client.url):
            say(line)


def _reviewed(client: "Client", full: str, sample: int) -> "BotReviewOut":
    from api_models.reviews import BotReviewOut

    path = f"/bots/{full}/review"
    report = client.change("POST", f"{path}?sample={sample}", BotReviewOut, {})
    with progress("Reviewing games", report.sample) as advance:
        advance(report.sample - report.waiting)
        while report.waiting:
            time.sleep(LOOK_SECONDS)
            before = report.waiting
            report = client.get(path, BotReviewOut, {"sample": sample})
            advance(max(0, before - report.waiting))
    return report


def report_lines(report: "BotReviewOut", server: str) -> Iterator[str]:
    """The report line by line."""
    yield (
        f"{printable(report.bot)}: {report.reviewed} games reviewed, drawn at random from"
        f" {report.population:,}. Mean loss of a decision in heads, with its 95 % interval."
    )
    yield f"  {'':24}{'decisions':>10}{'own':>24}{'the others':>24}"
    for group in report.groups:
        # What is split follows the line of its game.
        whole = group.by in ("all", "rules")
        label = group.name if whole else f"  {group.by} {group.name}"
        yield (
            f"  {printable(label)[:23]:<24}{group.own.decisions:>10}"
            f"{_mean(group.own):>24}{_mean(group.field):>24}"
        )
    if any(group.advanced for group in report.groups):
        yield (
            "  advanced: nearly all cards are open, so one choice decides how all others play on;"
            " compare with the others, not with points."
        )
    if report.costliest:
        yield "Costliest decisions of the games reviewed, mistakes against random play too:"
    for one in report.costliest:
        form = printable(f"{one.rules}, advanced" if one.advanced else one.rules)
        yield (
            f"  {one.loss:.1f} ± {one.error:.1f} heads  {one.kind.replace('_', ' ')}:"
            f" {printable(one.played)} instead of {printable(one.better)}"
            f"  {form}, turn {one.turn + 1}, v{one.version}  {server}{one.url}"
        )


def _mean(mean: "MeanOut") -> str:
    if mean.mean is None:
        return "-"
    if mean.low is None or mean.high is None:
        return f"{mean.mean:.2f}"
    return f"{mean.mean:.2f} ({mean.low:.2f} to {mean.high:.2f})"

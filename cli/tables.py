"""Published standings in the terminal, of seasons and of ladders."""

from typing import Any, Literal

from cli.terminal import cell, console

LEGEND = (
    "What a bot does against the field of this table, at tables drawn evenly from it.\n"
    "Points are per round, ± is the 95 % interval, – cannot be measured yet.\n"
    "Bots that share a letter are statistically tied; ? is provisional."
)


def print_standings(title: str, table: dict[str, Any]) -> None:
    """Published standings as a table in the terminal."""
    from rich import box
    from rich.table import Table

    title = f"{title}: {table['games']} games in {table['blocks']} blocks"
    shown = Table(title=cell(title), box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for column in ("", "bot", "tied", "rating", "live", "points", "wins", "faults"):
        left = column in ("bot", "tied")
        # Where the terminal is narrow a long name takes a second line; numbers stay whole.
        name = column == "bot"
        justify: Literal["left", "right"] = "left" if left else "right"
        shown.add_column(column, justify=justify, no_wrap=not name, overflow="fold")
    for row in table["rows"]:
        low, high = row["low"], row["high"]
        shown.add_row(
            str(low) if low == high else f"{low}-{high}",
            cell(f"{row['bot']} v{row['version']}"),
            cell(row["group"]),
            f"{row['official']:.0f} {_half(row['official_half'], 0)}",
            f"{row['live']:.0f}" + ("?" if row["provisional"] else ""),
            f"{row['points_per_round']:.1f} {_half(row['points_half'], 1)}",
            f"{100 * row['win_share']:.0f} %",
            str(sum(row["faults"].values())),
        )
    console().print(shown)


def _half(value: float | None, digits: int) -> str:
    return "± –" if value is None else f"± {value:.{digits}f}"

"""Charts as SVG, made here: they follow the scheme by CSS, print, and need no script.

Each says in its title what it shows. A table with the same numbers stands beside the large ones.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from markupsafe import Markup

from api_models.words import clean
from dashboard.render.text import number
from league.ratings import span

_SVG = Markup(
    '<svg class="{}" viewBox="0 0 {} {}" role="img" preserveAspectRatio="{}">'
    "<title>{}</title>{}</svg>"
)

LEFT = 48
"""Room for the numbers beside a line chart."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A stretch of numbers and the pixels it is drawn on."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + share * (self.end - self.start), 2)


class CalibrationPoint(Protocol):
    """What the calibration chart draws of a class of predictions."""

    @property
    def predicted(self) -> float:
        """The mean share that was predicted."""

    @property
    def observed(self) -> float:
        """The share that came about."""

    @property
    def half_width(self) -> float:
        """Half of its 95 % interval."""

    @property
    def holds(self) -> bool:
        """Whether the prediction lies inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a line, with its interval if it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str = ""


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Round numbers between two ends.

    >>> ticks(1430, 1610, 4)
    [1450.0, 1500.0, 1550.0, 1600.0]
    """
    raw = (high - low) / max(count, 1)
    if raw <= 0:
        return [low]
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)
    first = math.ceil(low / step)
    return [round(step * n, 10) for n in range(first, math.floor(high / step) + 1)]


def interval_bar(
    value: float, low: float | None, high: float | None, ends: tuple[float, float], title: str
) -> Markup:
    """A rating as a dot on its interval; without an interval, the dot alone is hollow."""
    x = Scale(ends[0], ends[1], 4, 156)
    parts = [Markup('<line class="c-axis" x1="0" x2="160" y1="10" y2="10"/>')]
    if low is not None and high is not None:
        left, right = x(low), x(high)
        parts.append(
            Markup('<rect class="c-interval" x="{}" y="6" width="{}" height="8" rx="4"/>').format(
                left, round(max(right - left, 1.0), 2)
            )
        )
    kind = "c-dot" if low is not None else "c-dot c-hollow"
    parts.append(Markup('<circle class="{}" cx="{}" cy="10" r="3.5"/>').format(kind, x(value)))
    return _SVG.format("chart interval", 160, 20, "xMidYMid meet", title, Markup("").join(parts))


def interval_axis(ends: tuple[float, float]) -> Markup:
    """The scale above a column of interval bars."""
    x = Scale(ends[0], ends[1], 4, 156)
    marks = ticks(*ends, 3)
    parts = [
        Markup(
            '<line class="c-tick" x1="{0}" x2="{0}" y1="13" y2="18"/>'
            '<text class="c-label" x="{0}" y="10" text-anchor="middle">{1}</text>'
        ).format(x(mark), number(mark))
        for mark in marks
        if 14 < x(mark) < 146
    ]
    return _SVG.format(
        "chart interval-axis", 160, 18, "xMidYMid meet", "Scale of the bars", Markup("").join(parts)
    )


def sparkline(values: Sequence[float], title: str) -> Markup:
    """A small line without axes; the numbers stand beside it."""
    if len(values) < 2:
        return Markup("")
    x = Scale(0, len(values) - 1, 2, 118)
    y = Scale(*span(values, 0.1), 26, 2)
    line = " ".join(f"{x(i)},{y(value)}" for i, value in enumerate(values))
    inner = Markup(
        '<polyline class="c-line" points="{}"/><circle class="c-dot" cx="{}" cy="{}" r="2.5"/>'
    ).format(line, x(len(values) - 1), y(values[-1]))
    return _SVG.format("chart spark", 120, 28, "none", title, inner)


def line_with_band(
    points: Sequence[Point],
    title: str,
    *,
    marks: Sequence[tuple[float, str]] = (),
    beside: Sequence[Point] = (),
) -> Markup:
    """A line over a band; `marks` are labelled moments on the x axis, such as a new version.

    `beside` is a second, thinner line on the same axes. All is drawn twice, for large screens and
    for phones, and the style sheet shows one of them: a drawing that is only scaled would have
    words too small to read, or too large.
    """
    if len(points) < 2:
        return Markup("")
    sizes = (("broad", 1040, 300), ("narrow", 340, 220))
    return Markup("").join(_line(points, title, marks, beside, *one) for one in sizes)


def _line(
    points: Sequence[Point],
    title: str,
    marks: Sequence[tuple[float, str]],
    beside: Sequence[Point],
    size: str,
    width: int,
    height: int,
) -> Markup:
    values = [value for p in (*points, *beside) for value in (p.y, p.low, p.high)]
    bounds = span(values)
    x = Scale(points[0].x, points[-1].x, LEFT, width - 12)
    y = Scale(*bounds, height - 24, 10)
    parts = [_grid(mark, y(mark), width) for mark in ticks(*bounds)]
    parts += [_mark(x(at), clean(label), height) for at, label in marks if at >= points[0].x]
    parts.append(_band([p for p in points if p.low is not None], x, y))
    for kind, drawn in (("c-line c-beside", beside), ("c-line", points)):
        if not drawn:
            continue
        line = " ".join(f"{x(p.x)},{y(p.y)}" for p in drawn)
        parts.append(Markup('<polyline class="{}" points="{}"/>').format(kind, line))
    last = points[-1]
    parts.append(
        Markup('<circle class="c-dot" cx="{}" cy="{}" r="4"/>').format(x(last.x), y(last.y))
    )
    for p, anchor in ((points[0], "start"), (last, "end")):
        parts.append(
            Markup('<text class="c-label" x="{}" y="{}" text-anchor="{}">{}</text>').format(
                x(p.x), height - 6, anchor, p.label
            )
        )
    inner = Markup("").join(parts)
    return _SVG.format(f"chart line {size}", width, height, "xMidYMid meet", title, inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceLine:
    """How one bot came along; its number decides the colour."""

    name: str
    points: Sequence[Point]


def race(lines: Sequence[RaceLine], title: str) -> Markup:
    """Several lines on the same axes, each named at its end; drawn twice, as `line_with_band`."""
    drawn = [line for line in lines if len(line.points) > 1]
    if not drawn:
        return Markup("")
    sizes = (("broad", 1040, 320, 130), ("narrow", 340, 260, 84))
    return Markup("").join(_race(drawn, title, *one) for one in sizes)


def _race(
    lines: Sequence[RaceLine], title: str, size: str, width: int, height: int, room: int
) -> Markup:
    every = [point for line in lines for point in line.points]
    bounds = span([point.y for point in every])
    x = Scale(min(p.x for p in every), max(p.x for p in every), LEFT, width - room)
    y = Scale(*bounds, height - 24, 10)
    parts = [_grid(mark, y(mark), width - room + 12) for mark in ticks(*bounds)]
    names = _apart([y(line.points[-1].y) for line in lines], 15.0)
    for number_, (line, at) in enumerate(zip(lines, names, strict=True)):
        path = " ".join(f"{x(p.x)},{y(p.y)}" for p in line.points)
        end = line.points[-1]
        parts.append(
            Markup(
                '<g class="c-race c-race-{}"><polyline class="c-line" points="{}"/>'
                '<circle class="c-dot" cx="{}" cy="{}" r="3.5"/>'
                '<text class="c-name" x="{}" y="{}">{}</text></g>'
            ).format(
                number_, path, x(end.x), y(end.y), width - room + 10, at + 4, clean(line.name)[:14]
            )
        )
    first, last = min(every, key=lambda p: p.x), max(every, key=lambda p: p.x)
    for p, anchor in ((first, "start"), (last, "end")):
        parts.append(
            Markup('<text class="c-label" x="{}" y="{}" text-anchor="{}">{}</text>').format(
                x(p.x), height - 6, anchor, p.label
            )
        )
    inner = Markup("").join(parts)
    return _SVG.format(f"chart line {size}", width, height, "xMidYMid meet", title, inner)


def _apart(places: Sequence[float], least: float) -> list[float]:
    """The same places, moved down as far as names need to stay readable.

    >>> _apart([10, 12, 50], 15)
    [10, 25, 50]
    """
    moved = list(places)
    order = sorted(range(len(places)), key=lambda at: places[at])
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + least)
    return moved


def calibration(bins: Sequence[CalibrationPoint], title: str) -> Markup:
    """Predicted against observed shares with their intervals; on the diagonal they agree."""
    x, y = Scale(0.5, 1.0, LEFT, 348), Scale(0.4, 1.0, 216, 10)
    parts = [_grid(100 * mark, y(mark), 360) for mark in (0.4, 0.6, 0.8, 1.0)]
    parts += [
        Markup('<text class="c-label" x="{}" y="234" text-anchor="middle">{}</text>').format(
            x(mark), number(100 * mark)
        )
        for mark in (0.5, 0.6, 0.7, 0.8, 0.9)
    ]
    parts.append(
        Markup('<line class="c-mark" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
            x(0.5), x(1.0), y(0.5), y(1.0)
        )
    )
    for one in bins:
        at = x(one.predicted)
        ends = [y(min(1.0, max(0.4, one.observed + side * one.half_width))) for side in (1.0, -1.0)]
        kind = "c-dot" if one.holds else "c-dot c-off"
        parts.append(
            Markup(
                '<line class="c-whisker" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
                '<circle class="{3}" cx="{0}" cy="{4}" r="4"/>'
            ).format(at, *ends, kind, y(min(1.0, max(0.4, one.observed))))
        )
    inner = Markup("").join(parts)
    return _SVG.format("chart calibration", 360, 240, "xMidYMid meet", title, inner)


def _grid(value: float, at: float, width: int) -> Markup:
    return Markup(
        '<line class="c-grid" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<text class="c-label" x="{}" y="{}" text-anchor="end">{}</text>'
    ).format(LEFT, width - 12, at, at, LEFT - 6, at + 4, number(value))


def _mark(at: float, label: str, height: int) -> Markup:
    return Markup(
        '<line class="c-mark" x1="{0}" x2="{0}" y1="10" y2="{1}"/>'
        '<text class="c-label" x="{2}" y="20">{3}</text>'
    ).format(at, height - 24, at + 4, label)


def _band(points: Sequence[Point], x: Scale, y: Scale) -> Markup:
    if len(points) < 2:
        return Markup("")
    above = [f"{x(p.x)},{y(p.high)}" for p in points if p.high is not None]
    below = [f"{x(p.x)},{y(p.low)}" for p in reversed(points) if p.low is not None]
    return Markup('<polygon class="c-band" points="{}"/>').format(" ".join(above + below))


def progress(done: int, total: int, title: str) -> Markup:
    """How much of something is done. It is stretched, so its round ends are the style sheet's."""
    share = done / total if total else 0.0
    inner = Markup(
        '<rect class="c-rest" width="200" height="8"/><rect class="c-done" width="{}" height="8"/>'
    ).format(round(200 * share, 2))
    return _SVG.format("chart progress", 200, 8, "none", title, inner)


def bar(share: float, title: str) -> Markup:
    """A share of one, for a cell of a table."""
    inner = Markup(
        '<rect class="c-rest" width="100" height="6"/><rect class="c-done" width="{}" height="6"/>'
    ).format(round(100 * min(max(share, 0.0), 1.0), 2))
    return _SVG.format("chart share", 100, 6, "none", title, inner)

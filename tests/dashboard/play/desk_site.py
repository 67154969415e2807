"""The real dashboard with a desk in memory behind its tables, on a loopback port."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dashboard.http import Rank, check_token
from dashboard.live.streams import EventStream
from dashboard.pages.page import Ctx, act, raw, show
from dashboard.settings import Settings
from dashboard.site import site_of
from dashboard.viewer import SeatFrames
from store import Store
from tests.dashboard.play.desk import DeskTable
from tests.dashboard.serving import served


class Desk:
    """Tables by their codes. Who asks for a table with `?seat=` sits in that seat."""

    def __init__(self) -> None:
        self.tables: dict[str, DeskTable] = {}
        self.begun: list[str] = []
        """What was asked for by forms, in order."""
        self.hints: list[int] = []
        """The asks for which a hint was asked for, in order."""

    def put(self, table: DeskTable) -> DeskTable:
        self.tables[table.code] = table
        return table

    def routes(self) -> list[Route]:
        return [
            show("/play/{code}", self.table),
            raw("/play/{code}/stream", self.stream, methods=["GET"]),
            raw("/play/{code}/choice", self.choice, methods=["POST"]),
            raw("/play/{code}/hint", self.hint, methods=["POST"]),
            act("/play/{code}/again", self.again, rank=Rank.SPECTATOR),
            act("/play/{code}/leave", self.again, rank=Rank.SPECTATOR),
        ]

    def seat(self, request: Request) -> int:
        table = self.tables[request.path_params["code"]]
        return int(request.cookies.get(f"seat-{table.code}", table.persons[0]))

    def table(self, ctx: Ctx, code: str) -> Response:
        table = self.tables[code]
        status = table.status(self.seat(ctx.request))
        sitting = {
            "code": code,
            "state": status["state"],
            "seat": self.seat(ctx.request),
            "title": table.title,
            "people": status["people"],
            "can_begin": True,
            "closed_why": "",
            "offers": ["again", "other-seat"],
            "link": f"{ctx.request.url}",
        }
        return ctx.render("play/table.html", sitting=sitting)

    async def stream(self, request: Request) -> Response:
        table = self.tables[request.path_params["code"]]
        seat = self.seat(request)
        last = int(request.headers.get("last-event-id", "0"))
        return EventStream(self._frames(table, seat, last))

    async def _frames(self, table: DeskTable, seat: int, last: int) -> AsyncGenerator[bytes, None]:
        frames, number = SeatFrames(), 0
        state = ""
        while True:
            status = json.dumps(table.status(seat))
            if status != state:
                state = status
                yield f"event: state\ndata: {status}\n\n".encode()
            for frame in await asyncio.to_thread(table.after, seat, number, 0.2):
                number += 1
                data = json.dumps(frames.dress(frame))
                if number > last:
                    yield f"event: frame\nid: {number}\ndata: {data}\n\n".encode()
                if frame["type"] in ("over", "closed"):
                    yield b"event: end\ndata: {}\n\n"
                    return

    async def choice(self, request: Request) -> Response:
        site = site_of(request)
        check_token(site, request, request.headers.get("x-csrf-token", ""))
        table = self.tables[request.path_params["code"]]
        body: Any = await request.json()
        status, detail = table.answer(self.seat(request), body["ask"], body["choice"])
        if status == 204:
            return Response(status_code=204)
        return Response(
            json.dumps({"detail": detail}), status, media_type="application/problem+json"
        )

    async def hint(self, request: Request) -> Response:
        check_token(site_of(request), request, request.headers.get("x-csrf-token", ""))
        table = self.tables[request.path_params["code"]]
        body: Any = await request.json()
        self.hints.append(body["ask"])
        status, answer = table.hint(self.seat(request), body["ask"])
        return Response(json.dumps(answer), status, media_type="application/json")

    def again(self, ctx: Ctx, code: str) -> Response:
        self.begun.append(ctx.request.url.path)
        return ctx.go("/")


@contextmanager
def served_desk(settings: Settings, store: Store, desk: Desk, port: int = 0) -> Iterator[str]:
    """The address of a running dashboard whose tables are the desk's."""
    with served(settings, store, port=port, routes=desk.routes()) as url:
        yield url

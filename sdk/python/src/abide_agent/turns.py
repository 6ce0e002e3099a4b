"""Turns, one after the other: asked, streamed, cancelled, answered.

Each attempt has a request id of its own. The newest one counts: an older one that is still open is withdrawn, for
the keeper would drop its answer. Stands between the session and the handler; knows neither link nor state.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from dataclasses import asdict
from typing import Any, Awaitable, Callable, Dict, Optional

from . import limits
from .errors import AbideError, TurnCancelled, TurnFailed
from .frame import Message
from .link import Progress, stamped
from .metrics import Metrics
from .turn import Answer, Request, Usage, response_fields

log = logging.getLogger("abide_agent")

Say = Callable[[str, bool], Awaitable[None]]


class Answerer:
    """A handler in either form. `answer` gives the reply; `withdraw` asks a running one to stop, and may come twice."""

    async def answer(self, request: Request, say: Say) -> Answer:
        raise NotImplementedError

    def withdraw(self) -> None:
        raise NotImplementedError


class Turns:
    """The turn in hand, if any."""

    def __init__(
        self,
        answerer: Answerer,
        send: Callable[[Message], Awaitable[None]],
        send_now: Callable[[Message], None],
        progress: Progress,
        metrics: Metrics,
    ) -> None:
        self._answerer = answerer
        self._send = send
        self._send_now = send_now
        self._progress = progress
        self._metrics = metrics
        self._newest: Optional[str] = None
        self._closed = False
        self._open: Optional[str] = None
        self._at_rest: Optional["asyncio.Future[None]"] = None

    def supersede(self, request_id: str) -> None:
        """Says which attempt counts from here on; withdraws the one in hand."""
        if self._closed:
            return
        self._newest = request_id
        if self._open is not None:
            self._answerer.withdraw()

    def cancel(self, request_id: str) -> None:
        """Withdraws an attempt, in hand or still waiting."""
        if self._newest == request_id:
            self._newest = None
        if self._open == request_id:
            self._answerer.withdraw()

    async def answer(self, message: Message) -> None:
        """Has the handler answer and sends what it says. Fails only with the link."""
        request = Request(message)
        if request.request_id != self._newest:
            body = {"code": "CANCELLED", "message": "the attempt was withdrawn before it began"}
            return self._send_now(stamped("error", error=body, request_id=request.request_id, fatal=False))
        self._open = request.request_id
        self._at_rest = asyncio.get_running_loop().create_future()
        began = time.monotonic()
        try:
            reply = await self._reply(request)
        finally:
            self._open = None
            self._at_rest.set_result(None)
        self._metrics.record(time.monotonic() - began, reply["type"] == "process_response")
        try:
            await self._send(reply)
        except AbideError as error:
            if getattr(error, "code", "") not in ("TOO_LARGE", "INVALID_MESSAGE"):
                raise
            body = {"code": "EVAL_ERROR", "message": f"the answer cannot be sent: {error}"}
            self._send_now(stamped("error", error=body, request_id=request.request_id, fatal=False))

    async def end_within(self, seconds: float) -> bool:
        """Takes no further turn, withdraws the one in hand and waits for its end. False when it goes on."""
        self._newest, self._closed = None, True
        if self._at_rest is None or self._at_rest.done():
            return True
        self._answerer.withdraw()
        await asyncio.wait([self._at_rest], timeout=seconds)
        return self._at_rest.done()

    async def abandon(self) -> None:
        """Withdraws the turn in hand and waits for its end, however long: state may be given back only then."""
        self._newest, self._closed = None, True
        if self._at_rest is not None and not self._at_rest.done():
            self._answerer.withdraw()
            await asyncio.wait([self._at_rest])

    async def _reply(self, request: Request) -> Message:
        async def say(text: str, thought: bool) -> None:
            self._progress.step()
            await self._send(stamped("process_delta", request_id=request.request_id, text=text, thought=thought))

        try:
            answer = await self._answerer.answer(request, say)
            return stamped("process_response", request_id=request.request_id, **response_fields(answer))
        except (asyncio.CancelledError, TurnCancelled):
            return _error(request, {"code": "CANCELLED", "message": "the turn was withdrawn"})
        except TurnFailed as error:
            return _error(request, _failure(error), error.fatal, error.usage)
        except Exception as error:  # a handler may raise anything, and the keeper is to see it
            log.exception("the handler failed")
            trace = traceback.format_exc()[-limits.STACK_TRACE_CHARS_MAX :]
            body = {"code": "EVAL_ERROR", "message": f"{type(error).__name__}: {error}", "stack_trace": trace}
            return _error(request, body)


def _failure(error: TurnFailed) -> Dict[str, Any]:
    body: Dict[str, Any] = {"code": error.code, "message": error.message}
    if error.retry_after_ms is not None:
        body["retry_after_ms"] = error.retry_after_ms
    if error.context is not None:
        body["context"] = dict(error.context)
    return body


def _error(request: Request, body: Dict[str, Any], fatal: bool = False, usage: Optional[Usage] = None) -> Message:
    cost = asdict(usage) if usage else None
    return stamped("error", error=body, request_id=request.request_id, fatal=fatal, usage=cost)

"""One conversation with a keeper, from `hello` to the end of the link.

Three parties: the link's threads deliver messages, `_listen` acts on each at once, and `_work` alone does what takes
time, one job after the other: turns, checkpoints, new code. A session never outlives its link: what is open then
ends, and the keeper gives the state back at the next `welcome`.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional

from . import limits, squeeze
from .callbacks import Callbacks
from .errors import AbideError, InvalidMessage, KeeperRefused, LinkLost
from .frame import Item, Message
from .journal import Entry, Journal
from .keeping import Keeping
from .link import Link, Progress, stamped
from .metrics import Metrics
from .once import OnceKeys, check_key
from .transport import Transport
from .turns import Answerer, Turns

log = logging.getLogger("abide_agent")

_DOUBTFUL_CODES = ("SEQUENCE_GAP", "INVALID_MESSAGE", "TOO_LARGE", "NOT_READY")
_FATAL_CODES = ("STALE_RUN", "UNSUPPORTED_VERSION")


@dataclass(frozen=True)
class Identity:
    """Who connects."""

    agent: str
    run: str = ""
    token: Optional[str] = None


class Session:
    """The conversation. Made and used on one event loop's thread; `send` included."""

    def __init__(
        self, identity: Identity, callbacks: Callbacks, answerer: Answerer, transport: Transport, progress: Progress
    ) -> None:
        self._identity = identity
        self._callbacks = callbacks
        self._loop = asyncio.get_running_loop()
        self._inbox: "asyncio.Queue[Item]" = asyncio.Queue()
        self._jobs: "asyncio.Queue[Callable[[], Awaitable[None]]]" = asyncio.Queue(limits.JOBS_MAX)
        self._room = asyncio.Event()
        self._room.set()
        self._ended: "asyncio.Future[None]" = self._loop.create_future()
        self.progress = progress
        self._link = Link(
            transport, self.progress, self._from_thread(self._inbox.put_nowait), self._from_thread(self._fail), self._drained
        )
        self.journal = Journal(1, self._link.send, self._apply, self._fail)
        self._once = OnceKeys()
        self._once_pending: Dict[str, "asyncio.Future[int]"] = {}
        self.keeping = Keeping(callbacks, self.journal, self._once, self._link.send)
        self._metrics = Metrics()
        self._turns = Turns(answerer, self.send, self._link.send, self.progress, self._metrics)
        self._shutting: Optional["asyncio.Task[None]"] = None
        self._ready = False
        self._handlers: Dict[str, Callable[[Message], None]] = {
            "wal_ack": lambda message: self.journal.on_ack(message["sequence"]),
            "checkpoint_ack": self.keeping.on_ack,
            "process_request": self._on_request,
            "process_cancel": lambda message: self._turns.cancel(message["request_id"]),
            "checkpoint_request": self._on_checkpoint_request,
            "metrics_request": lambda message: self._send_metrics(),
            "restore": lambda message: self._add_job(lambda: self.keeping.restore(message)),
            "hot_reload": lambda message: self._add_job(lambda: self.keeping.hot_reload(message)),
            "evolution_result": lambda message: self._add_job(lambda: self.keeping.evolution_result(message)),
            "shutdown": self._on_shutdown,
            "error": self._on_error,
            "welcome": lambda message: None,
        }

    async def run(self) -> None:
        """Opens, works, ends. Returns after a shutdown; raises LinkLost, KeeperRefused, or what a callback raised."""
        self._link.start()
        tasks: List["asyncio.Future[None]"] = []
        error: AbideError = LinkLost("the session is over")
        try:
            await self._open()
            tasks = [
                asyncio.ensure_future(part) for part in (self._listen(), self._work(), self._report_metrics())
            ]
            await asyncio.wait([*tasks, self._ended], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done() and not self._ended.done():
                    task.result()
            await self._ended
        except AbideError as failure:
            error = failure
            raise
        finally:
            self.journal.close(error)
            self.keeping.close(error)
            await self._turns.abandon()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._link.close()

    async def once(self, key: str, operation: str, params: Mapping[str, Any]) -> bool:
        """Logs an operation unless one with this key is in the log; gives whether it was logged now."""
        check_key(key)
        if key in self._once:
            return False
        pending = self._once_pending.get(key)
        is_new = pending is None
        if pending is None:
            pending = self.journal.append(operation, params, soon=True, once=key)
            self._once_pending[key] = pending
            pending.add_done_callback(lambda _: self._once_pending.pop(key, None))
        # A turn that is withdrawn meanwhile must not take the entry along: the next asking finds it here.
        await asyncio.shield(pending)
        return is_new

    async def send(self, message: Message) -> None:
        """Sends a message, waiting while the link is crowded."""
        while self._link.crowded and not self._ended.done():
            self._room.clear()
            room: "asyncio.Future[Any]" = asyncio.ensure_future(self._room.wait())
            await asyncio.wait([room, self._ended], return_when=asyncio.FIRST_COMPLETED)
            room.cancel()
        self._link.send(message)

    async def _open(self) -> None:
        capabilities = ["stream"]
        capabilities += ["restore"] if self._callbacks.restores else []
        capabilities += ["hot_reload"] if self._callbacks.hot_reload else []
        capabilities += ["zstd"] if squeeze.available() else []
        self._link.send(
            stamped(
                "hello",
                agent=self._identity.agent,
                run=self._identity.run,
                capabilities=capabilities,
                sdk=limits.SDK_NAME,
                token=self._identity.token,
            )
        )
        welcome = await self._expect("welcome", limits.WELCOME_S)
        self.journal.continue_from(welcome["next_sequence"])
        self._link.start_breathing()
        if welcome.get("restore"):
            await self.keeping.restore(await self._expect("restore", limits.RESTORE_S))
        self._ready = True
        self._link.send(stamped("ready"))

    async def _expect(self, kind: str, within_s: float) -> Message:
        """Waits for one message of the opening. A keeper's error there is its refusal."""
        deadline = self._loop.time() + within_s
        while True:
            getter: "asyncio.Future[Any]" = asyncio.ensure_future(self._inbox.get())
            left = deadline - self._loop.time()
            await asyncio.wait([getter, self._ended], timeout=max(left, 0), return_when=asyncio.FIRST_COMPLETED)
            if not getter.done():
                getter.cancel()
                if self._ended.done():
                    await self._ended
                raise LinkLost(f"no {kind} within {within_s:.0f} s")
            message = self._checked(getter.result())
            self._link.handled()
            if message is None:
                continue
            if message["type"] == kind:
                return message
            if message["type"] == "error" and kind == "welcome":
                raise KeeperRefused(message["error"]["code"], message["error"]["message"])
            handler = self._handlers.get(message["type"])
            if handler is not None:
                handler(message)

    async def _listen(self) -> None:
        while True:
            message = self._checked(await self._inbox.get())
            if message is not None:
                handler = self._handlers.get(message["type"])
                if handler is not None:
                    handler(message)
            self._link.handled()

    def _checked(self, item: Item) -> Optional[Message]:
        """Gives the message, or answers what is none with an error frame."""
        if not isinstance(item, InvalidMessage):
            return item
        log.warning("frame from the keeper refused: %s", item)
        body = {"code": item.code, "message": str(item), "context": item.details()}
        self._link.send(stamped("error", error=body, request_id=item.request_id, fatal=False))
        return None

    async def _work(self) -> None:
        while True:
            job = await self._jobs.get()
            self.progress.step()
            await job()
            self.progress.step()

    def _add_job(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            self._jobs.put_nowait(job)
        except asyncio.QueueFull:
            body = {"code": "BUSY", "message": f"{limits.JOBS_MAX} messages wait for the work in hand"}
            self._link.send(stamped("error", error=body, fatal=False))

    def _on_request(self, message: Message) -> None:
        self._turns.supersede(message["request_id"])
        self._add_job(lambda: self._turns.answer(message))

    def _on_checkpoint_request(self, message: Message) -> None:
        if self._callbacks.entry is not None:
            self.keeping.checkpoint_aside()
        else:
            self._add_job(self.keeping.checkpoint_on_request)

    def _on_shutdown(self, message: Message) -> None:
        if self._shutting is None:
            self._shutting = asyncio.ensure_future(self._shut_down(message.get("create_checkpoint") is not False))

    async def _shut_down(self, with_checkpoint: bool) -> None:
        at_rest = await self._turns.end_within(limits.SHUTDOWN_TURN_S)
        try:
            if with_checkpoint and self._callbacks.checkpoint and (at_rest or self._callbacks.entry):
                await self.keeping.checkpoint()
            else:
                await self.journal.drain()
        except AbideError as error:
            log.error("ends without its checkpoint: %s", error)
        except Exception as error:
            self._fail(error)
        if not self._ended.done():
            self._ended.set_result(None)

    def _on_error(self, message: Message) -> None:
        """Takes the keeper's word. Whatever leaves it open which entries are stored ends the session: `restore` tells."""
        code, text = message["error"]["code"], message["error"]["message"]
        log.warning("keeper reported %s: %s", code, text)
        if code in _FATAL_CODES:
            self._fail(KeeperRefused(code, text))
        elif code == "CHECKPOINT_FAILED":
            self.keeping.refuse(text)
        elif code == "WAL_FULL":
            self.journal.refuse(code, text)
        elif code in _DOUBTFUL_CODES and self.journal.busy and message.get("request_id") is None:
            self._fail(LinkLost(f"the keeper and the agent no longer agree on the log: {code}: {text}"))
        elif code in ("INVALID_MESSAGE", "TOO_LARGE"):
            self.keeping.refuse(text)

    async def _report_metrics(self) -> None:
        while True:
            await asyncio.sleep(limits.METRICS_S)
            self._send_metrics()

    def _send_metrics(self) -> None:
        data = self._metrics.report()
        try:
            if self._callbacks.metrics is not None:
                data.update(self._callbacks.metrics())
            self._link.send(stamped("metrics", data=data))
        except InvalidMessage as error:
            log.warning("the metrics were not sent: %s", error)

    def _apply(self, entry: Entry) -> None:
        self.progress.step()
        if self._callbacks.entry is not None:
            self._callbacks.entry(entry)
        self._once.add(entry.once)

    def _fail(self, error: Exception) -> None:
        if not self._ended.done():
            self._ended.set_exception(error)
            self._ended.exception()

    def _drained(self) -> None:
        self._from_thread(lambda _: self._room.set())(None)

    def _from_thread(self, act: Callable[[Any], None]) -> Callable[[Any], None]:
        """Gives a form of `act` that another thread may call, also when the loop has closed."""

        def call(value: Any) -> None:
            try:
                self._loop.call_soon_threadsafe(act, value)
            except RuntimeError:
                pass  # the loop is closed, and with it everything that could act

        return call

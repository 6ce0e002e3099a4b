"""Two I/O threads on one transport: they read, write, breathe and answer pings whatever the work loop does.

A heartbeat carries the progress counter and never moves it: a handler that hangs keeps its process alive and is
still seen to stand. Nothing here looks into a message but for `ping`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Callable, Deque, Optional

from . import limits
from .check import TO_AGENT
from .errors import BoundaryLost, InvalidMessage, LinkLost
from .frame import FrameReader, Item, Message, encode
from .transport import Transport


def stamped(kind: str, **fields: object) -> Message:
    """Builds a message with what every frame of version 3 carries. Optional fields given as None are left out."""
    message: Message = {"type": kind, "version": limits.PROTOCOL_VERSION, "timestamp": int(time.time())}
    message.update((name, value) for name, value in fields.items() if value is not None)
    return message


class Progress:
    """The counter `p`: moved by the work loop alone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def step(self) -> None:
        """Says that the work went on."""
        with self._lock:
            self._count += 1

    @property
    def count(self) -> int:
        return self._count


class Link:
    """The threads. `deliver` and `ended` are called from them; `drained` when a crowded link has room again."""

    def __init__(
        self,
        transport: Transport,
        progress: Progress,
        deliver: Callable[[Item], None],
        ended: Callable[[Exception], None],
        drained: Callable[[], None],
    ) -> None:
        self._transport = transport
        self._progress = progress
        self._deliver = deliver
        self._ended = ended
        self._drained = drained
        self._changed = threading.Condition()
        self._frames: Deque[bytes] = deque()
        self._bytes_waiting = 0
        self._pongs: Deque[bytes] = deque(maxlen=16)
        self._next_beat: Optional[float] = None
        self._closing = False
        self._end_told = False
        self._room = threading.Semaphore(limits.INBOX_FRAMES_MAX)
        self._writer = threading.Thread(target=self._write_all, name="abide-writer", daemon=True)
        self._reader = threading.Thread(target=self._read_all, name="abide-reader", daemon=True)

    def start(self) -> None:
        """Starts both threads. Heartbeats wait for `start_breathing`, for `hello` must be the first frame."""
        self._writer.start()
        self._reader.start()

    def start_breathing(self) -> None:
        """Sends a heartbeat now and then once a second."""
        with self._changed:
            self._next_beat = time.monotonic()
            self._changed.notify()

    def send(self, message: Message) -> None:
        """Queues a message behind those before it. Raises InvalidMessage and TooLarge at once, LinkLost after the end."""
        frame = encode(message)
        with self._changed:
            if self._closing:
                raise LinkLost("the link to the keeper is closed")
            self._frames.append(frame)
            self._bytes_waiting += len(frame)
            self._changed.notify()

    @property
    def crowded(self) -> bool:
        """Tells that senders should wait for `drained`."""
        return (
            self._bytes_waiting > limits.OUTBOX_BYTES_CROWDED or len(self._frames) > limits.OUTBOX_FRAMES_CROWDED
        )

    def handled(self) -> None:
        """Gives back the room of one delivered message."""
        self._room.release()

    def close(self, flush_s: float = 2.0) -> None:
        """Writes what is queued, as long as that takes no longer than `flush_s`, and ends the transport."""
        with self._changed:
            self._closing = self._end_told = True
            self._changed.notify()
        self._writer.join(flush_s)
        self._room.release()
        self._transport.close()

    def _write_all(self) -> None:
        try:
            while True:
                frame = self._next_frame()
                if frame is None:
                    return
                self._transport.write(frame)
        except (OSError, ValueError) as error:
            self._tell_end(LinkLost(f"cannot write to the keeper: {error}"))

    def _next_frame(self) -> Optional[bytes]:
        """Waits for what goes out next: a due heartbeat, a pong, then the queue. None at the end."""
        with self._changed:
            while True:
                now = time.monotonic()
                if self._next_beat is not None and now >= self._next_beat and not self._closing:
                    self._next_beat = now + limits.HEARTBEAT_S
                    return encode(stamped("heartbeat", p=self._progress.count))
                if self._pongs:
                    return self._pongs.popleft()
                if self._frames:
                    return self._pop_frame()
                if self._closing:
                    return None
                self._changed.wait(None if self._next_beat is None else max(0.0, self._next_beat - now))

    def _pop_frame(self) -> bytes:
        was_crowded = self.crowded
        frame = self._frames.popleft()
        self._bytes_waiting -= len(frame)
        if was_crowded and not self.crowded:
            self._drained()
        return frame

    def _read_all(self) -> None:
        frames = FrameReader(TO_AGENT)
        try:
            while True:
                data = self._transport.read()
                if not data:
                    where = " in the middle of a frame" if frames.mid_frame() else ""
                    return self._tell_end(LinkLost(f"the keeper closed the link{where}"))
                for item in frames.feed(data):
                    self._take(item)
        except BoundaryLost as error:
            self._tell_end(error)
        except (OSError, ValueError) as error:
            self._tell_end(LinkLost(f"cannot read from the keeper: {error}"))

    def _take(self, item: Item) -> None:
        if not isinstance(item, InvalidMessage) and item["type"] == "ping":
            with self._changed:
                self._pongs.append(encode(stamped("pong", nonce=item["nonce"])))
                self._changed.notify()
            return
        self._room.acquire()
        if not self._closing:
            self._deliver(item)

    def _tell_end(self, error: Exception) -> None:
        with self._changed:
            told, self._end_told, self._closing = self._end_told, True, True
            self._changed.notify()
        if not told:
            self._ended(error)

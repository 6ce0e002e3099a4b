"""A scripted keeper for tests: it holds the durable side (entries, one checkpoint) and checks all that it receives.

Blocking and single-threaded: the test is the script. Every wait has an end, so a silent agent fails the test.
"""

from __future__ import annotations

import socket
from typing import Any, Dict, List, Optional

from abide_agent.check import FROM_AGENT, TO_AGENT
from abide_agent.errors import InvalidMessage
from abide_agent.frame import HEADER, FrameReader, Message, encode
from abide_agent.limits import FRAME_BYTES_MAX
from abide_agent.link import stamped
from abide_agent.packing import pack
from abide_agent.transport import Transport

QUIET = ("heartbeat", "metrics", "process_delta")


class Store:
    """What outlives agents and keepers."""

    def __init__(self) -> None:
        self.entries: List[Dict[str, Any]] = []
        self.snapshot: Optional[Dict[str, Any]] = None
        self.snapshot_sequence = 0

    @property
    def next_sequence(self) -> int:
        return (self.entries[-1]["sequence"] if self.entries else self.snapshot_sequence) + 1

    def restore_fields(self) -> Dict[str, Any]:
        return {
            "checkpoint_id": "c1" if self.snapshot is not None else "",
            "snapshot": self.snapshot or {},
            "wal_entries": [entry for entry in self.entries if entry["sequence"] > self.snapshot_sequence],
            "next_sequence": self.next_sequence,
        }

    def add(self, message: Message) -> int:
        data = message["data"]
        for entry in data if isinstance(data, list) else [data]:
            assert entry["sequence"] == self.next_sequence, (entry["sequence"], self.next_sequence)
            self.entries.append(entry)
        return self.next_sequence - 1


class Keeper:
    """One link of a keeper."""

    def __init__(self, transport: Transport, store: Optional[Store] = None) -> None:
        self.transport = transport
        self.store = store or Store()
        self.seen: List[Message] = []
        self._frames = FrameReader(FROM_AGENT)
        self._items: List[Message] = []

    def send(self, kind: str, **fields: Any) -> None:
        self.transport.write(encode(stamped(kind, **fields), TO_AGENT))

    def next(self) -> Optional[Message]:
        """Gives the next message of any type; None at the end of the link."""
        while not self._items:
            data = self.transport.read()
            if not data:
                assert not self._frames.mid_frame(), "the agent ended in the middle of a frame"
                return None
            for item in self._frames.feed(data):
                assert not isinstance(item, InvalidMessage), item
                self._items.append(item)
        message = self._items.pop(0)
        self.seen.append(message)
        return message

    def expect(self, kind: str) -> Message:
        """Waits for a type; storing and acknowledging entries and passing quiet types over on the way."""
        while True:
            message = self.next()
            assert message is not None, f"the link ended before {kind}"
            if message["type"] == kind:
                return message
            if message["type"] in ("wal_entry", "wal_batch"):
                self.send("wal_ack", sequence=self.store.add(message))
            else:
                assert message["type"] in QUIET, f"{message['type']} came before {kind}: {message}"

    def open(self) -> Message:
        """Says welcome, restores when there is something to restore, and waits for `ready`. Gives `hello`."""
        hello = self.expect("hello")
        restores = self.store.snapshot is not None or bool(self.store.entries)
        self.welcome(self.store.next_sequence, restores)
        if restores:
            self.send("restore", **self.store.restore_fields())
            acked = self.expect("restore_ack")
            assert acked["ok"], acked
            assert acked["sequence"] == self.store.next_sequence - 1
        self.expect("ready")
        return hello

    def welcome(self, next_sequence: int, restore: bool) -> None:
        limits = {"frame_bytes_max": FRAME_BYTES_MAX}
        self.send("welcome", keeper="test", run="r1", limits=limits, next_sequence=next_sequence, restore=restore)

    def send_unchecked(self, kind: str, **fields: Any) -> None:
        """Sends what no keeper may."""
        body = pack(stamped(kind, **fields))
        self.transport.write(HEADER.pack(len(body)) + body)

    def ask(self, text: str, request_id: str = "q1", **context: Any) -> None:
        self.send("process_request", request_id=request_id, data={"message": text, "user_id": "nicolas", "context": context})

    def answer(self, request_id: str = "q1") -> str:
        response = self.expect("process_response")
        assert response["request_id"] == request_id
        text: str = response["voice"]["final_response"]
        return text

    def keep_checkpoint(self) -> Message:
        message = self.expect("checkpoint")
        self.store.snapshot = message["data"]
        self.store.snapshot_sequence = message["wal_sequence"]
        self.send("checkpoint_ack", checkpoint_id="c1", size=1)
        return message

    def wait_for_end(self) -> None:
        while self.next() is not None:
            pass

    def of(self, kind: str) -> List[Message]:
        return [message for message in self.seen if message["type"] == kind]


def with_timeout(sock: socket.socket) -> socket.socket:
    """Ends a wait that would never end otherwise; no test depends on its length."""
    sock.settimeout(20)
    return sock

"""Frames: caps before allocation, depth, noise, and messages that name what is wrong with them."""

from __future__ import annotations

import struct
import unittest
from typing import Any, Dict, List

from abide_agent import limits
from abide_agent.check import FROM_AGENT, TO_AGENT
from abide_agent.errors import BoundaryLost, InvalidMessage, TooLarge
from abide_agent.frame import FrameReader, Item, decode, encode, skim_type
from abide_agent.packing import depth, pack, unpack

PING = {"type": "ping", "version": 3, "timestamp": 1, "nonce": 1}


def framed(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


class Frames(unittest.TestCase):
    def test_a_message_survives_the_way_byte_by_byte(self) -> None:
        message = {**PING, "nonce": 2**63, "data": {"b": b"\x00\xff", "t": "ü", "n": None, "f": 0.5}}
        reader = FrameReader(TO_AGENT)
        items: List[Item] = []
        for byte in encode(message, TO_AGENT) * 2:
            items += reader.feed(bytes([byte]))
        self.assertEqual(items, [message, message])
        self.assertFalse(reader.mid_frame())

    def test_type_is_written_first_and_skimmed(self) -> None:
        body = encode({"timestamp": 1, "type": "heartbeat"})[4:]
        self.assertEqual(skim_type(body), "heartbeat")
        many = {"type": "heartbeat", "timestamp": 1, **{f"f{at}": at for at in range(20)}}
        self.assertEqual(skim_type(pack(many)), "heartbeat", "a map with a longer head")
        self.assertEqual(skim_type(pack({"timestamp": 1, "type": "heartbeat"})), "")
        for begun in (b"", b"\x81", b"\x81\xa4ty", b"\x81\xa4type", b"\x81\xa4type\xa9heart"):
            self.assertIsNone(skim_type(begun), begun)

    def test_a_length_over_the_largest_limit_loses_the_boundary_and_nothing_before_it(self) -> None:
        items = FrameReader(TO_AGENT).feed(encode(PING, TO_AGENT) + struct.pack(">I", limits.FRAME_BYTES_MAX + 1))
        self.assertEqual(next(items), PING)
        with self.assertRaises(BoundaryLost):
            next(items)

    def test_a_body_over_the_cap_of_its_type_is_passed_over_and_never_stored(self) -> None:
        reader = FrameReader(TO_AGENT)
        start = b"\x82\xa4type\xa4ping" + b"\xa1x" * 40
        size = limits.OTHER_BYTES_MAX + 1
        (refused,) = reader.feed(struct.pack(">I", size) + start)
        self.assertIsInstance(refused, TooLarge)
        rest = size - len(start)
        while rest:
            part = min(rest, 65536)
            self.assertEqual(list(reader.feed(b"\x00" * part)), [])
            self.assertEqual(len(reader._buffer), 0)
            rest -= part
        self.assertEqual(list(reader.feed(encode(PING, TO_AGENT))), [PING])

    def test_a_promised_length_takes_no_memory(self) -> None:
        reader = FrameReader(TO_AGENT)
        promised = struct.pack(">I", limits.FRAME_BYTES_MAX) + b"\x81\xa4type\xa7restore" + bytes(80)
        self.assertEqual(list(reader.feed(promised)), [])
        self.assertLess(reader._buffer.__alloc__(), 4096)
        self.assertTrue(reader.mid_frame())

    def test_what_is_no_message_is_given_as_an_error_and_the_next_frame_is_read(self) -> None:
        for body in (b"", b"\xc1", b"\x93\x01\x02\x03", b"\x81", b"\x81\xa4type\xa1\xff", pack({"type": 5}), b"\xdf\xff\xff\xff\xff"):
            items = list(FrameReader(TO_AGENT).feed(framed(body) + encode(PING, TO_AGENT)))
            self.assertIsInstance(items[0], InvalidMessage, body)
            self.assertEqual(items[1], PING)

    def test_depth_is_limited_both_ways(self) -> None:
        def nested(levels: int) -> Dict[str, Any]:
            value: Dict[str, Any] = dict(PING)
            for _ in range(levels - 1):
                value = {**PING, "x": value}
            return value

        self.assertEqual(depth(nested(5)), 5)
        decode(pack(nested(limits.DEPTH_MAX)), TO_AGENT)
        with self.assertRaises(InvalidMessage):
            encode(nested(limits.DEPTH_MAX + 1), TO_AGENT)
        with self.assertRaises(InvalidMessage) as caught:
            unpack(b"\x91" * 200_000 + b"\x00")
        self.assertEqual(caught.exception.problem, "depth")

    def test_a_refused_body_is_named_without_walking_over_all_of_it(self) -> None:
        body = b"\xdd\x00\x10\x00\x00" + b"\x01" * 1_000_000
        with self.assertRaises(InvalidMessage) as caught:
            unpack(body)
        self.assertEqual(caught.exception.problem, "truncated", "a count that the rest cannot hold is seen at once")
        with self.assertRaises(InvalidMessage) as caught:
            unpack(b"\xdd\x00\x0f\x42\x40" + b"\x01" * 999_999 + b"\xc1")
        self.assertEqual(caught.exception.problem, "malformed")

    def test_the_place_of_bad_text_and_of_a_double_key_is_named(self) -> None:
        for value, path, problem in (
            (b"\x81\xa1a\x92\x01\xa1\xff", "a[1]", "utf8"),
            (b"\x81\xa1a\x82\xa1b\x01\xa1b\x02", "a.b", "duplicate"),
            (b"\x81\xa1a\x81\xa1\xff\x01", "a", "utf8"),
            (b"\x81\xa1a\x81\x90\x01", "a", "key"),
        ):
            with self.assertRaises(InvalidMessage) as caught:
                unpack(value)
            self.assertEqual((caught.exception.path, caught.exception.problem), (path, problem))

    def test_sending_over_a_cap_is_refused_here(self) -> None:
        with self.assertRaises(TooLarge):
            encode({"type": "wal_entry", "timestamp": 1, "data": {"operation": "x", "params": {"t": "a" * 11_000}, "sequence": 1}})

    def test_a_heartbeat_fits_its_hundred_bytes(self) -> None:
        self.assertLess(len(encode({"type": "heartbeat", "version": 3, "timestamp": 2**40, "p": 2**63})) - 4, 100)


class Checks(unittest.TestCase):
    def path_of(self, message: Dict[str, Any]) -> str:
        with self.assertRaises(InvalidMessage) as caught:
            encode({"version": 3, "timestamp": 1, **message}, TO_AGENT)
        return caught.exception.path

    def test_the_field_that_is_wrong_is_named(self) -> None:
        entries = [{"operation": "a", "params": {}, "sequence": 1}, {"operation": "b", "params": {}, "sequence": "2"}]
        restore = {"type": "restore", "checkpoint_id": "", "snapshot": {}, "wal_entries": entries, "next_sequence": 3}
        self.assertEqual(self.path_of(restore), "wal_entries[1].sequence")
        self.assertEqual(self.path_of({"type": "process_request", "request_id": "a", "data": {}}), "data.message")
        self.assertEqual(self.path_of({"type": "process_request", "request_id": "a"}), "data")
        self.assertEqual(self.path_of({"type": "wal_ack", "sequence": True}), "sequence")
        self.assertEqual(self.path_of({**PING, "timestamp": 1.0}), "timestamp")
        self.assertEqual(self.path_of({**PING, "version": 4}), "version")
        context = {"tools": [{"name": "a", "description": "", "parameters": {"x": {1: 2}}}]}
        data = {"message": "", "user_id": "", "context": context}
        request = {"type": "process_request", "request_id": "a", "data": data}
        self.assertEqual(self.path_of(request), "data.context.tools[0].parameters.x")
        self.assertEqual(encode({**request, "version": 1, "timestamp": 1}, TO_AGENT)[4], 0x85, "version 1 has no such field")

    def test_each_type_goes_one_way_and_unknown_fields_stay(self) -> None:
        self.assertEqual(self.path_of({"type": "heartbeat", "p": 1}), "type")
        message = {**PING, "metadata": {"a": 1}, "new": [1]}
        self.assertEqual(list(FrameReader(TO_AGENT).feed(encode(message, TO_AGENT))), [message])
        self.assertEqual(FROM_AGENT.bytes_max("restore"), limits.OTHER_BYTES_MAX)


if __name__ == "__main__":
    unittest.main()

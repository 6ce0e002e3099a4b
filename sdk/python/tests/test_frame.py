"""Frames: caps before allocation, depth, noise, and messages that name what is wrong with them."""

from __future__ import annotations

import struct
import unittest
from typing import Any, Dict, List

from abide_agent import check, limits
from abide_agent.errors import BoundaryLost, InvalidMessage, TooLarge
from abide_agent.frame import FrameReader, Item, decode, encode, pack, skim_type, unpack


def framed(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


class Frames(unittest.TestCase):
    def test_a_message_survives_the_way_byte_by_byte(self) -> None:
        message = {"type": "ping", "timestamp": 1, "nonce": 2**63, "data": {"b": b"\x00\xff", "t": "ü", "n": None, "f": 0.5}}
        reader = FrameReader()
        items: List[Item] = []
        for byte in encode(message) * 2:
            items += reader.feed(bytes([byte]))
        self.assertEqual(items, [message, message])
        self.assertFalse(reader.mid_frame())

    def test_type_is_written_first_and_skimmed(self) -> None:
        body = encode({"timestamp": 1, "type": "heartbeat"})[4:]
        self.assertEqual(skim_type(body), "heartbeat")
        self.assertIsNone(skim_type(pack({"timestamp": 1, "type": "heartbeat"})))
        self.assertIsNone(skim_type(b"\x81\xa4type\xa9heart"))

    def test_a_length_over_the_largest_limit_loses_the_boundary(self) -> None:
        with self.assertRaises(BoundaryLost):
            FrameReader().feed(struct.pack(">I", limits.FRAME_BYTES_MAX + 1))

    def test_a_body_over_the_cap_of_its_type_is_passed_over_and_never_stored(self) -> None:
        reader = FrameReader()
        start = b"\x82\xa4type\xa4ping" + b"\xa1x" * 40
        size = limits.OTHER_BYTES_MAX + 1
        (refused,) = reader.feed(struct.pack(">I", size) + start)
        self.assertIsInstance(refused, TooLarge)
        rest = size - len(start)
        while rest:
            part = min(rest, 65536)
            self.assertEqual(reader.feed(b"\x00" * part), [])
            self.assertEqual(len(reader._buffer), 0)
            rest -= part
        ping = {"type": "ping", "timestamp": 1, "nonce": 1}
        self.assertEqual(reader.feed(encode(ping)), [ping])

    def test_a_promised_length_takes_no_memory(self) -> None:
        reader = FrameReader()
        reader.feed(struct.pack(">I", limits.FRAME_BYTES_MAX) + b"\x81\xa4type\xa7restore" + bytes(80))
        self.assertLess(reader._buffer.__alloc__(), 4096)
        self.assertTrue(reader.mid_frame())

    def test_what_is_no_message_is_given_as_an_error_and_the_next_frame_is_read(self) -> None:
        good = {"type": "ping", "timestamp": 1, "nonce": 1}
        for body in (b"", b"\xc1", b"\x93\x01\x02\x03", b"\x81", b"\x81\xa4type\xa1\xff", pack({"type": 5}), b"\xdf\xff\xff\xff\xff"):
            items = FrameReader().feed(framed(body) + encode(good))
            self.assertIsInstance(items[0], InvalidMessage, body)
            self.assertEqual(items[1], good)

    def test_depth_is_limited_both_ways(self) -> None:
        def nested(levels: int) -> Dict[str, Any]:
            value: Dict[str, Any] = {"type": "ping"}
            for _ in range(levels - 1):
                value = {"type": "ping", "x": value}
            return value

        decode(pack(nested(limits.DEPTH_MAX)))
        with self.assertRaises(InvalidMessage):
            encode(nested(limits.DEPTH_MAX + 1))
        with self.assertRaises(InvalidMessage):
            unpack(b"\x91" * 200_000 + b"\x00")

    def test_sending_over_a_cap_is_refused_here(self) -> None:
        with self.assertRaises(TooLarge):
            encode({"type": "wal_entry", "timestamp": 1, "data": {"operation": "x", "params": {"t": "a" * 11_000}, "sequence": 1}})

    def test_a_heartbeat_fits_its_hundred_bytes(self) -> None:
        self.assertLess(len(encode({"type": "heartbeat", "version": 3, "timestamp": 2**40, "p": 2**63})) - 4, 100)


class Checks(unittest.TestCase):
    def path_of(self, message: Dict[str, Any]) -> str:
        with self.assertRaises(InvalidMessage) as caught:
            check.check({"timestamp": 1, **message}, check.FROM_KEEPER)
        return caught.exception.path

    def test_the_field_that_is_wrong_is_named(self) -> None:
        entries = [{"operation": "a", "params": {}, "sequence": 1}, {"operation": "b", "params": {}, "sequence": "2"}]
        self.assertEqual(self.path_of({"type": "restore", "wal_entries": entries}), "wal_entries[1].sequence")
        self.assertEqual(self.path_of({"type": "process_request", "request_id": "a", "data": {}}), "data.message")
        self.assertEqual(self.path_of({"type": "process_request", "request_id": "a"}), "data")
        self.assertEqual(self.path_of({"type": "wal_ack", "sequence": True}), "sequence")
        self.assertEqual(self.path_of({"type": "ping", "nonce": 1, "timestamp": 1.0}), "timestamp")
        self.assertEqual(self.path_of({"type": "ping", "nonce": 1, "version": 4}), "version")

    def test_each_type_goes_one_way_and_unknown_fields_stay(self) -> None:
        self.assertEqual(self.path_of({"type": "heartbeat"}), "type")
        message = {"type": "ping", "timestamp": 1, "nonce": 1, "metadata": {"a": 1}, "new": [1]}
        check.check(message, check.FROM_KEEPER)
        self.assertEqual(FrameReader().feed(encode(message)), [message])


if __name__ == "__main__":
    unittest.main()

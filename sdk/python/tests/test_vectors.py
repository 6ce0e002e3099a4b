"""The protocol's conformance vectors: good ones are read and written again, others refused as the index says."""

from __future__ import annotations

import base64
import json
import unittest
from typing import Any, Dict, List, Tuple

import msgpack

from abide_agent.check import FROM_AGENT, TO_AGENT
from abide_agent.errors import BoundaryLost, InvalidMessage
from abide_agent.frame import FrameReader, Item, encode

from running import ROOT

FOLDER = ROOT.parent.parent / "docs" / "wire" / "vectors"
DIRECTIONS = {"from_agent": FROM_AGENT, "to_agent": TO_AGENT}


def index() -> List[Dict[str, Any]]:
    vectors: List[Dict[str, Any]] = json.loads((FOLDER / "index.json").read_text())["vectors"]
    return vectors


def frame_of(vector: Dict[str, Any]) -> bytes:
    return (FOLDER / f"{vector['name']}.msgpack").read_bytes()


def meaning_of(vector: Dict[str, Any]) -> Any:
    return json.loads((FOLDER / f"{vector['name']}.json").read_text(), object_hook=special)


def special(value: Dict[str, Any]) -> Any:
    """Undoes the forms in which JSON shows what it has not."""
    if set(value) == {"$bin"}:
        return base64.b64decode(value["$bin"])
    if set(value) == {"$ext"}:
        return msgpack.ExtType(value["$ext"][0], base64.b64decode(value["$ext"][1]))
    if set(value) == {"$int"}:
        return int(value["$int"])
    return value


def read(vector: Dict[str, Any], piece_bytes: int) -> Tuple[List[Item], str]:
    """Gives what comes of a vector that arrives in pieces, and how its stream ends."""
    reader = FrameReader(DIRECTIONS[vector["direction"]])
    data = frame_of(vector)
    items: List[Item] = []
    try:
        for at in range(0, len(data), piece_bytes):
            items += reader.feed(data[at : at + piece_bytes])
    except BoundaryLost:
        return items, "lost"
    return items, "cut_off" if reader.mid_frame() else "clean"


class Vectors(unittest.TestCase):
    def of(self, expect: str) -> List[Dict[str, Any]]:
        vectors = [vector for vector in index() if vector["expect"] == expect]
        self.assertTrue(vectors, expect)
        return vectors

    def test_good_ones_are_read_and_those_in_the_shortest_form_written_byte_for_byte(self) -> None:
        for vector in self.of("ok"):
            with self.subTest(vector["name"]):
                meaning, direction = meaning_of(vector), DIRECTIONS[vector["direction"]]
                self.assertEqual(read(vector, 1 << 20), ([meaning], "clean"))
                again = encode(meaning, direction)
                if vector["canonical"]:
                    self.assertEqual(again, frame_of(vector))
                self.assertEqual(list(FrameReader(direction).feed(again)), [meaning])

    def test_others_are_refused_with_code_path_and_problem(self) -> None:
        for vector in self.of("error"):
            with self.subTest(vector["name"]):
                refused = read(vector, 1 << 20)[0][-1]
                assert isinstance(refused, InvalidMessage), refused
                expected = (vector["code"], vector["path"], vector["problem"])
                self.assertEqual((refused.code, refused.path, refused.problem), expected, str(refused))

    def test_a_lost_boundary_and_a_cut_stream_are_told_apart(self) -> None:
        for expect in ("lost", "cut_off"):
            for vector in self.of(expect):
                with self.subTest(vector["name"]):
                    self.assertEqual(read(vector, 1 << 20)[1], expect)
        (vector,) = [vector for vector in index() if vector["name"] == "noise_after_a_frame"]
        self.assertEqual(len(read(vector, 1 << 20)[0]), 1, "the frame before the noise counts")

    def test_any_cut_of_a_vector_comes_to_the_same(self) -> None:
        for vector in index():
            whole, end = read(vector, 1 << 20)
            for piece_bytes in (1, 3, 64):
                with self.subTest(vector["name"], piece_bytes=piece_bytes):
                    items, same_end = read(vector, piece_bytes)
                    self.assertEqual([shown(item) for item in items], [shown(item) for item in whole])
                    self.assertEqual(same_end, end)


def shown(item: Item) -> Any:
    return (item.code, item.path, item.problem) if isinstance(item, InvalidMessage) else item


if __name__ == "__main__":
    unittest.main()

"""State that outlives the process: the log, checkpoints, restore, hot reload, shutdown and lost links."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any, Dict, List, Optional, Sequence

from abide_agent import Agent, AsyncAgent, AsyncTurn, CheckpointFailed, Entry, LinkLost, State, TooLarge, Turn, WalRefused, squeeze
from abide_agent.packing import pack
from abide_agent.limits import ONCE_KEYS_MAX, WAL_BATCH_ENTRIES
from abide_agent.once import OnceKeys

from keeper import Store
from running import agent_in_thread


class Notes(AsyncAgent):
    """Keeps a list of texts; counts how often each was applied."""

    def __init__(self) -> None:
        super().__init__("test")
        self.texts: List[str] = []
        self.on_entry(lambda entry: self.texts.append(entry.params["text"]))
        self.on_checkpoint(lambda: {"texts": list(self.texts)})
        self.on_restore(self.take_back)

    def take_back(self, snapshot: Optional[State], entries: Sequence[Entry]) -> None:
        assert not entries, "with on_entry the entries go there"
        self.texts = list(snapshot["texts"]) if isinstance(snapshot, dict) else []

    async def note(self, turn: AsyncTurn) -> str:
        sequence = await self.wal("note", {"text": turn.message})
        return f"{sequence}: {' '.join(self.texts)}"


class Log(unittest.TestCase):
    def test_nothing_is_applied_or_answered_before_the_ack(self) -> None:
        agent = Notes()
        with agent_in_thread(agent, agent.note) as (keeper, _):
            keeper.open()
            keeper.ask("a")
            message = keeper.next()
            while message and message["type"] in ("heartbeat", "metrics"):
                message = keeper.next()
            assert message is not None
            self.assertEqual(message["data"], {"operation": "note", "params": {"text": "a"}, "sequence": 1})
            keeper.send("ping", nonce=1)
            keeper.expect("pong")
            self.assertEqual((agent.texts, keeper.of("process_response")), ([], []))
            keeper.send("wal_ack", sequence=keeper.store.add(message))
            self.assertEqual(keeper.answer(), "1: a")

    def test_entries_travel_in_groups_and_in_order(self) -> None:
        agent = Notes()

        async def handler(turn: AsyncTurn) -> str:
            waits = [agent.wal("note", {"text": str(at)}) for at in range(250)]
            return f"{len(set(await asyncio.gather(*waits)))}"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("go")
            self.assertEqual(keeper.answer(), "250")
            sizes = [len(batch["data"]) for batch in keeper.of("wal_batch")]
            self.assertEqual((sum(sizes), max(sizes)), (250, WAL_BATCH_ENTRIES))
            self.assertEqual(agent.texts, [str(at) for at in range(250)])

    def test_an_entry_that_nobody_waits_for_goes_out_by_itself(self) -> None:
        agent = Notes()

        async def handler(turn: AsyncTurn) -> str:
            agent.wal_later("note", {"text": "later"})
            return "done"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("go")
            self.assertEqual(keeper.answer(), "done")
            self.assertEqual(keeper.expect("wal_entry")["data"]["params"], {"text": "later"})

    def test_a_full_log_refuses_leaves_no_gap_and_goes_on_after_a_checkpoint(self) -> None:
        agent = Notes()

        async def handler(turn: AsyncTurn) -> str:
            try:
                return await agent.note(turn)
            except WalRefused as error:
                return error.code

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("a")
            keeper.expect("wal_entry")
            keeper.send("error", error={"code": "WAL_FULL", "message": "full"})
            self.assertEqual(keeper.answer(), "WAL_FULL")
            keeper.send("checkpoint_request", reason="wal")
            self.assertEqual(keeper.keep_checkpoint()["data"], {"texts": []})
            keeper.ask("b", "q2")
            self.assertEqual(keeper.answer("q2"), "1: b")

    def test_an_entry_over_ten_kilobytes_is_refused_before_it_is_sent(self) -> None:
        agent = Agent("test")
        caught: List[Exception] = []

        def handler(turn: Turn) -> str:
            try:
                agent.wal("note", {"text": "x" * 11_000})
            except TooLarge as error:
                caught.append(error)
            return "done"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("go")
            self.assertEqual(keeper.answer(), "done")
            self.assertIn("checkpoint", str(caught[0]))
            self.assertEqual(keeper.of("wal_entry"), [])

    def test_an_operation_with_a_key_is_logged_once_over_withdrawals_checkpoints_and_deaths(self) -> None:
        store = Store()
        for life in range(4):
            agent = Notes()

            async def once(turn: AsyncTurn) -> str:
                is_new = await agent.once(turn.key, "note", {"text": turn.message})
                return f"{is_new} {' '.join(agent.texts)}"

            with agent_in_thread(agent, once, store) as (keeper, _):
                keeper.open()
                keeper.ask("a", f"a{life}", epoch_id="e1", turn=1)
                if life == 0:
                    # Withdrawn on the way to the disk, and asked anew: the entry is the same one.
                    entry = keeper.expect("wal_entry")
                    self.assertEqual(entry["data"]["once"], "e1/1")
                    keeper.send("process_cancel", request_id="a0", reason="deadline")
                    keeper.expect("error")
                    keeper.ask("a", "again", epoch_id="e1", turn=1)
                    keeper.send("wal_ack", sequence=store.add(entry))
                    self.assertEqual(keeper.answer("again"), "False a")
                else:
                    self.assertEqual(keeper.answer(f"a{life}"), "False a b")
                keeper.ask("b", "b", epoch_id="e1", turn=2)
                if life == 0:
                    # Stored, and killed before it heard so.
                    store.add(keeper.expect("wal_entry"))
                    continue
                self.assertEqual(keeper.answer("b"), "False a b")
                keeper.send("checkpoint_request", reason="manual")
                self.assertEqual(keeper.keep_checkpoint()["data"]["abide_once"], ["e1/1", "e1/2"])

    def test_keys_are_bounded_and_beside_the_authors_state(self) -> None:
        keys = OnceKeys(str(at) for at in range(ONCE_KEYS_MAX + 5))
        self.assertEqual(("4" in keys, "5" in keys), (False, True))
        stored = keys.beside({"bytes": b"own"})
        again = OnceKeys()
        self.assertEqual((again.take_back(stored), "1028" in again), ({"bytes": b"own"}, True))
        self.assertEqual((again.take_back({"own": 1}), "1028" in again), ({"own": 1}, False))
        with self.assertRaises(ValueError):
            keys.beside({"abide_once": 1})

    def test_a_gap_ends_the_session_for_only_restore_can_tell_what_is_stored(self) -> None:
        agent = Notes()
        with agent_in_thread(agent, agent.note) as (keeper, running):
            keeper.open()
            keeper.ask("a")
            keeper.expect("wal_entry")
            keeper.send("error", error={"code": "SEQUENCE_GAP", "message": "1 does not follow 4"})
            running.join()
            self.assertIsInstance(running.error, LinkLost)
            self.assertEqual(agent.texts, [])

    def test_a_state_that_no_longer_follows_the_log_ends_the_agent(self) -> None:
        agent = AsyncAgent("test")

        @agent.on_entry
        def fails(entry: Entry) -> None:
            raise KeyError("broken")

        async def handler(turn: AsyncTurn) -> str:
            return str(await agent.wal("x", {}))

        with agent_in_thread(agent, handler) as (keeper, running):
            keeper.open()
            keeper.ask("a")
            keeper.send("wal_ack", sequence=keeper.store.add(keeper.expect("wal_entry")))
            running.join()
            self.assertIsInstance(running.error, KeyError)


class Restarts(unittest.TestCase):
    def test_whatever_was_acknowledged_is_there_after_any_death_once_and_in_order(self) -> None:
        store = Store()
        said: List[str] = []
        for life in range(12):
            agent = Notes()
            with agent_in_thread(agent, agent.note, store) as (keeper, _):
                keeper.open()
                self.assertEqual(agent.texts, said)
                for at in range(life % 3 + 1):
                    text = f"{life}.{at}"
                    keeper.ask(text, text)
                    said.append(text)
                    self.assertEqual(keeper.answer(text), f"{len(said)}: {' '.join(said)}")
                    if life % 4 == 1:
                        keeper.send("checkpoint_request", reason="manual")
                        self.assertEqual(keeper.keep_checkpoint()["wal_sequence"], len(said))
                # The last entry is stored and its ack never sent: durable all the same.
                keeper.ask("cut", "cut")
                store.add(keeper.expect("wal_entry"))
                said.append("cut")
        self.assertEqual([entry["sequence"] for entry in store.entries], list(range(1, len(said) + 1)))

    def test_restore_hands_over_snapshot_and_entries_without_on_entry(self) -> None:
        got: List[Any] = []
        agent = Agent("test")
        agent.on_restore(lambda snapshot, entries: got.append((snapshot, [entry.sequence for entry in entries])))
        store = Store()
        store.snapshot, store.snapshot_sequence = {"bytes": b"\x01"}, 2
        store.entries = [{"operation": "o", "params": {}, "sequence": at} for at in (1, 2, 3)]
        with agent_in_thread(agent, lambda turn: str(agent.wal("o", {})), store) as (keeper, _):
            self.assertIn("restore", keeper.open()["capabilities"])
            self.assertEqual(got, [(b"\x01", [3])])
            keeper.ask("go")
            self.assertEqual(keeper.answer(), "4")

    def test_a_compressed_snapshot_is_taken_back_where_zstd_is_there_and_refused_aloud_where_not(self) -> None:
        agent = Notes()
        state = {"texts": ["a"]}
        packed = squeeze.compress(pack(state)) if squeeze.available() else b"\x28\xb5\x2f\xfd\x20\x00"
        with agent_in_thread(agent, agent.note) as (keeper, running):
            self.assertEqual("zstd" in keeper.expect("hello")["capabilities"], squeeze.available())
            keeper.welcome(next_sequence=5, restore=True)
            fields = {"snapshot": packed, "compressed": True, "compression": "zstd", "wal_entries": []}
            keeper.send("restore", checkpoint_id="c1", next_sequence=5, **fields)
            acked = keeper.expect("restore_ack")
            self.assertEqual(acked["ok"], squeeze.available())
            if acked["ok"]:
                self.assertEqual((agent.texts, acked["sequence"]), (["a"], 4))
            else:
                self.assertIn("pip install", acked["error"]["message"])

    def test_without_a_checkpoint_entries_alone_need_no_on_restore(self) -> None:
        agent = Agent("test")
        texts: List[str] = []
        agent.on_entry(lambda entry: texts.append(entry.params["text"]))
        store = Store()
        store.entries = [{"operation": "o", "params": {"text": "a"}, "sequence": 1, "checksum": "of its own"}]
        with agent_in_thread(agent, lambda turn: " ".join(texts), store) as (keeper, _):
            keeper.open()
            keeper.ask("go")
            self.assertEqual(keeper.answer(), "a")

    def test_what_the_welcome_does_not_announce_is_not_waited_for(self) -> None:
        agent = Notes()
        with agent_in_thread(agent, agent.note) as (keeper, _):
            keeper.expect("hello")
            keeper.welcome(next_sequence=7, restore=False)
            keeper.expect("ready")
            keeper.ask("go")
            self.assertEqual(keeper.expect("wal_entry")["data"]["sequence"], 7)

    def test_a_failed_restore_is_refused_and_never_an_empty_start(self) -> None:
        agent = AsyncAgent("test")
        store = Store()
        store.entries = [{"operation": "o", "params": {}, "sequence": 1}]

        async def handler(turn: AsyncTurn) -> str:
            return "never"

        with agent_in_thread(agent, handler, store) as (keeper, running):
            keeper.expect("hello")
            keeper.welcome(next_sequence=2, restore=True)
            keeper.send("restore", **store.restore_fields())
            self.assertFalse(keeper.expect("restore_ack")["ok"])
            running.join()
            self.assertEqual(keeper.of("ready"), [])
            self.assertIn("neither on_restore nor on_entry", str(running.error))


class Checkpoints(unittest.TestCase):
    def test_a_checkpoint_beside_a_turn_names_exactly_the_entries_it_holds(self) -> None:
        agent = Notes()

        async def handler(turn: AsyncTurn) -> str:
            await agent.wal("note", {"text": "one"})
            await agent.wal("note", {"text": "two"})
            return "done"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("go")
            keeper.send("wal_ack", sequence=keeper.store.add(keeper.expect("wal_entry")))
            second = keeper.expect("wal_entry")
            keeper.send("checkpoint_request", reason="manual")
            checkpoint = keeper.keep_checkpoint()
            self.assertEqual((checkpoint["wal_sequence"], checkpoint["data"]), (1, {"texts": ["one"]}))
            keeper.send("wal_ack", sequence=keeper.store.add(second))
            self.assertEqual(keeper.answer(), "done")

    def test_without_on_entry_a_checkpoint_waits_for_the_turn(self) -> None:
        state: Dict[str, int] = {"count": 0}
        agent = AsyncAgent("test")
        agent.on_checkpoint(lambda: dict(state))
        agent.on_restore(lambda snapshot, entries: None)

        async def handler(turn: AsyncTurn) -> str:
            await agent.wal("add", {})
            await asyncio.sleep(0)  # between the ack and the change
            state["count"] += 1
            return "done"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("go")
            entry = keeper.expect("wal_entry")
            keeper.send("checkpoint_request", reason="manual")
            keeper.send("wal_ack", sequence=keeper.store.add(entry))
            self.assertEqual(keeper.answer(), "done")
            checkpoint = keeper.keep_checkpoint()
            self.assertEqual((checkpoint["wal_sequence"], checkpoint["data"]), (1, {"count": 1}))

    def test_a_handler_may_take_one_itself_and_hears_of_failure(self) -> None:
        agent = Agent("test")
        agent.on_checkpoint(lambda: b"own form")
        agent.on_restore(lambda snapshot, entries: None)

        def handler(turn: Turn) -> str:
            try:
                return agent.checkpoint()
            except CheckpointFailed as error:
                return str(error)

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("go")
            self.assertEqual(keeper.keep_checkpoint()["data"], {"bytes": b"own form"})
            self.assertEqual(keeper.answer(), "c1")
            keeper.ask("again", "q2")
            keeper.expect("checkpoint")
            keeper.send("error", error={"code": "CHECKPOINT_FAILED", "message": "the disk is full"})
            self.assertEqual(keeper.answer("q2"), "the disk is full")

    def test_a_large_state_is_compressed_where_zstd_is_there(self) -> None:
        agent = Notes()
        agent.texts = ["x" * 2_000_000]
        with agent_in_thread(agent, agent.note) as (keeper, _):
            keeper.open()
            keeper.send("checkpoint_request", reason="interval")
            checkpoint = keeper.keep_checkpoint()
            self.assertEqual(checkpoint.get("compressed", False), squeeze.available())
            if squeeze.available():
                self.assertEqual(squeeze.unfold(checkpoint["data"], "zstd", "data"), {"texts": agent.texts})


class Endings(unittest.TestCase):
    def test_shutdown_withdraws_the_turn_takes_a_checkpoint_and_ends(self) -> None:
        agent = Notes()

        async def handler(turn: AsyncTurn) -> str:
            await agent.wal("note", {"text": "kept"})
            await asyncio.Event().wait()
            return "never"

        with agent_in_thread(agent, handler) as (keeper, running):
            keeper.open()
            keeper.ask("go")
            keeper.send("wal_ack", sequence=keeper.store.add(keeper.expect("wal_entry")))
            keeper.send("shutdown", reason="restart", create_checkpoint=True)
            self.assertEqual(keeper.expect("error")["error"]["code"], "CANCELLED")
            self.assertEqual(keeper.keep_checkpoint()["data"], {"texts": ["kept"]})
            keeper.wait_for_end()
            running.join()
            self.assertIsNone(running.error)

    def test_shutdown_without_a_checkpoint_still_stores_what_waits(self) -> None:
        agent = Notes()

        async def handler(turn: AsyncTurn) -> str:
            agent.wal_later("note", {"text": "waiting"})
            return "done"

        with agent_in_thread(agent, handler) as (keeper, running):
            keeper.open()
            keeper.ask("go")
            self.assertEqual(keeper.answer(), "done")
            keeper.send("shutdown", reason="stop", create_checkpoint=False)
            keeper.send("wal_ack", sequence=keeper.store.add(keeper.expect("wal_entry")))
            keeper.wait_for_end()
            running.join()
            self.assertIsNone(running.error)

    def test_new_code_is_loaded_between_turns_and_its_failure_reported(self) -> None:
        agent = AsyncAgent("test")
        loaded: List[str] = []

        @agent.on_hot_reload
        async def load(module: str, code: str) -> None:
            if code == "bad":
                raise SyntaxError("no code")
            loaded.append(module)

        async def handler(turn: AsyncTurn) -> str:
            return "done"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.send("hot_reload", module="memory", code="good", backup_checkpoint_id="c1")
            self.assertEqual(keeper.expect("hot_reload_ack")["ok"], True)
            keeper.send("hot_reload", module="tools", code="bad", backup_checkpoint_id="c1")
            refused = keeper.expect("hot_reload_ack")
            self.assertEqual((refused["module"], refused["ok"], loaded), ("tools", False, ["memory"]))
            self.assertIn("SyntaxError", refused["error"]["message"])


if __name__ == "__main__":
    unittest.main()

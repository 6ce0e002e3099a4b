"""Real processes: stdout is the frames' alone, `kill -9` loses nothing, sockets are found again."""

from __future__ import annotations

import json
import re
import socket
import tempfile
import threading
import unittest

from abide_agent import Agent, Turn
from abide_agent.transport import SocketTransport

from keeper import Keeper, Store, with_timeout
from running import ROOT, agent_process

NOISY = """
import os, subprocess, sys
from abide_agent import Agent
agent = Agent()
print("before")
def answer(turn):
    print("a line for people", flush=True)
    sys.__stdout__.write("raw text"); sys.__stdout__.flush()
    os.write(1, b"bytes to descriptor 1")
    subprocess.run(["echo", "from a child"], check=True)
    return repr(sys.stdin.read())
agent.run(answer)
"""


class Processes(unittest.TestCase):
    def test_print_and_children_do_not_break_frames(self) -> None:
        with agent_process(NOISY) as (keeper, child):
            self.assertEqual(keeper.open()["agent"], "echo")
            keeper.ask("hi")
            self.assertEqual(keeper.answer(), "''")
            keeper.send("shutdown", reason="end", create_checkpoint=False)
            keeper.wait_for_end()
            assert child.stderr is not None
            words = child.stderr.read()
            for word in (b"before", b"a line for people", b"raw text", b"descriptor 1", b"from a child"):
                self.assertIn(word, words)
            self.assertEqual(child.wait(20), 0)

    def test_the_example_remembers_over_kill_9(self) -> None:
        store = Store()
        for life in range(1, 4):
            with agent_process(ROOT / "examples" / "echo.py", store) as (keeper, child):
                keeper.open()
                # Killed between the answer and its commit, the same turn is asked again: it counts once.
                for epoch in sorted({max(life - 1, 1), life}):
                    keeper.ask(f"text {epoch}", f"{life}.{epoch}", epoch_id=f"0193-{epoch}", turn=1)
                    self.assertEqual(keeper.answer(f"{life}.{epoch}"), f"I heard: text {epoch} (message {epoch})")
                if life == 2:
                    keeper.send("checkpoint_request", reason="manual")
                    keeper.keep_checkpoint()
                child.kill()

    def test_the_command_of_the_readme_starts_the_example_in_the_folder_of_the_readme(self) -> None:
        found = re.search(r"^command = (\[.*?\])", (ROOT / "README.md").read_text(), re.MULTILINE)
        assert found is not None
        with agent_process(json.loads(found[1])) as (keeper, child):
            keeper.open()
            keeper.transport.close()
            self.assertEqual(child.wait(20), 0)

    def test_the_evolving_example_proposes_code_and_answers_by_what_it_was_given(self) -> None:
        with agent_process(ROOT / "examples" / "evolving.py") as (keeper, child):
            self.assertIn("hot_reload", keeper.open()["capabilities"])
            code = "def pick(words):\n    return min(words, key=len)\n"
            keeper.ask("ox elephant", "r1", epoch_id="e1", turn=1)
            self.assertEqual(keeper.expect("evidence")["body"], {"picked": "elephant"})
            self.assertEqual(keeper.answer("r1"), "elephant (word 1)")
            keeper.ask(f"improve: {code}", "r2", epoch_id="e2", turn=1)
            self.assertEqual(keeper.expect("evolution_intent")["hypothesis"]["new_code"], code)
            keeper.answer("r2")
            for request, given, loads, answer in (
                ("r3", code, True, "ox (word 2)"),
                ("r4", "def pick(words): return 7", False, "ox (word 3)"),
            ):
                keeper.send("hot_reload", module="memory", code=given, backup_checkpoint_id="c1")
                self.assertEqual(keeper.expect("hot_reload_ack")["ok"], loads)
                keeper.ask("ox elephant", request, epoch_id=request, turn=1)
                keeper.expect("evidence")
                self.assertEqual(keeper.answer(request), answer)
            keeper.transport.close()
            self.assertEqual(child.wait(20), 0)

    def test_a_keeper_that_goes_ends_the_agent(self) -> None:
        with agent_process(ROOT / "examples" / "echo.py") as (keeper, child):
            keeper.open()
            keeper.transport.close()
            self.assertEqual(child.wait(20), 0)


class Sockets(unittest.TestCase):
    def test_a_lost_socket_is_found_again_with_the_state_given_back(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/keeper.sock"
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            listener.listen()
            with_timeout(listener)
            agent = Agent("far", address=f"unix:{path}", token="secret")
            heard = []
            agent.on_entry(lambda entry: heard.append(entry.params["text"]))
            agent.on_restore(lambda snapshot, entries: heard.clear())

            def answer(turn: Turn) -> str:
                agent.wal("heard", {"text": turn.message})
                return " ".join(heard)

            runner = threading.Thread(target=agent.run, args=(answer,), daemon=True)
            runner.start()
            store = Store()
            for text, whole in (("a", "a"), ("b", "a b"), ("c", "a b c")):
                accepted = SocketTransport(with_timeout(listener.accept()[0]))
                keeper = Keeper(accepted, store)
                self.assertEqual(keeper.open()["token"], "secret")
                keeper.ask(text)
                self.assertEqual(keeper.answer(), whole)
                if text == "c":
                    keeper.send("shutdown", reason="end", create_checkpoint=False)
                    keeper.wait_for_end()
                accepted.close()
            runner.join(20)
            self.assertFalse(runner.is_alive())
            listener.close()


if __name__ == "__main__":
    unittest.main()

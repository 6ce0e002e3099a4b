"""Turns, life and progress: what the keeper sees of a handler that works, streams, hangs, fails or is cancelled."""

from __future__ import annotations

import asyncio
import threading
import unittest
from unittest import mock

from abide_agent import Agent, AsyncAgent, AsyncTurn, ToolCall, Turn, TurnFailed, Usage, Voice, codes, limits

from running import agent_in_thread


async def echo(turn: AsyncTurn) -> str:
    await turn.say("so: ")
    return turn.message


class Opening(unittest.TestCase):
    def test_an_agent_says_hello_first_then_ready_and_breathes_only_after_the_welcome(self) -> None:
        agent = AsyncAgent("test")
        agent.on_hot_reload(lambda module, code: None)
        with agent_in_thread(agent, echo) as (keeper, _):
            hello = keeper.open()
            self.assertEqual((hello["agent"], hello["run"], hello["version"]), ("test", "r1", 3))
            self.assertIn("hot_reload", hello["capabilities"])
            self.assertNotIn("restore", hello["capabilities"])
            self.assertEqual([message["type"] for message in keeper.seen][0], "hello")

    def test_a_refusal_ends_the_agent_with_its_code(self) -> None:
        with agent_in_thread(AsyncAgent("test"), echo) as (keeper, running):
            keeper.expect("hello")
            keeper.send("error", error={"code": "STALE_RUN", "message": "the run is over"})
            running.join()
            self.assertIn("STALE_RUN", str(running.error))

    def test_a_frame_that_is_no_message_is_answered_with_an_error_that_names_the_field(self) -> None:
        with agent_in_thread(AsyncAgent("test"), echo) as (keeper, _):
            keeper.open()
            keeper.send_unchecked("process_request", request_id="q", data={"message": 5, "user_id": "nicolas"})
            error = keeper.expect("error")
            self.assertEqual((error["error"]["code"], error["error"]["context"]["path"]), ("INVALID_MESSAGE", "data.message"))
            self.assertEqual(error["request_id"], "q")
            keeper.ask("still there?")
            self.assertEqual(keeper.answer(), "still there?")

    def test_checkpoint_without_restore_is_refused_before_anything_is_sent(self) -> None:
        agent = AsyncAgent("test")
        agent.on_checkpoint(lambda: {})
        with self.assertRaises(ValueError):
            agent.run(echo)


class Answers(unittest.TestCase):
    def test_pieces_come_before_the_answer(self) -> None:
        with agent_in_thread(AsyncAgent("test"), echo) as (keeper, _):
            keeper.open()
            keeper.ask("hi")
            self.assertEqual(keeper.answer(), "hi")
            self.assertEqual([delta["text"] for delta in keeper.of("process_delta")], ["so: "])

    def test_a_voice_carries_calls_thought_and_usage(self) -> None:
        def handler(turn: Turn) -> Voice:
            self.assertEqual((turn.number, turn.attempt, turn.user_id), (2, 1, "nicolas"))
            return Voice(tool_calls=[ToolCall("a.b", {"x": 1}, id="c9")], thought="hm", usage=Usage(3, 4, model="m"))

        with agent_in_thread(Agent("test"), handler) as (keeper, _):
            keeper.open()
            keeper.ask("hi", turn=2, attempt=1)
            response = keeper.expect("process_response")
            self.assertEqual(response["voice"]["tool_calls"], [{"id": "c9", "name": "a.b", "arguments": {"x": 1}}])
            self.assertIsNone(response["voice"]["final_response"])
            self.assertEqual(response["usage"]["input_tokens"], 3)

    def test_a_failure_ends_the_turn_and_not_the_agent(self) -> None:
        def handler(turn: Turn) -> str:
            if turn.message == "busy":
                raise TurnFailed("MODEL_RATE_LIMITED", "slow down", retry_after_ms=1500)
            if turn.message == "declined":
                raise TurnFailed(codes.MODEL_REFUSED, "no", usage=Usage(7, 1, model="m"))
            if turn.message == "unsayable":
                return Voice("1", tool_calls=[ToolCall("a", {"x": float("nan")})])  # type: ignore[return-value]
            if turn.message == "exit":
                raise SystemExit(3)
            return str(1 // int(turn.message))

        with agent_in_thread(Agent("test"), handler) as (keeper, _):
            keeper.open()
            keeper.ask("busy")
            error = keeper.expect("error")["error"]
            self.assertEqual((error["code"], error["retry_after_ms"]), ("MODEL_RATE_LIMITED", 1500))
            keeper.ask("0", "q2")
            error = keeper.expect("error")
            self.assertEqual((error["request_id"], error["error"]["code"]), ("q2", "EVAL_ERROR"))
            self.assertIn("ZeroDivisionError", error["error"]["stack_trace"])
            keeper.ask("exit", "q3")
            self.assertEqual(keeper.expect("error")["request_id"], "q3")
            keeper.ask("declined", "q4")
            error = keeper.expect("error")
            self.assertEqual((error["error"]["code"], error["usage"]["input_tokens"]), ("MODEL_REFUSED", 7))
            keeper.ask("unsayable", "q5")
            self.assertIn("voice.tool_calls[0].arguments.x", keeper.expect("error")["error"]["message"])
            keeper.ask("1", "q6")
            self.assertEqual(keeper.answer("q6"), "1")

    def test_an_answer_over_its_cap_becomes_an_error(self) -> None:
        with agent_in_thread(Agent("test"), lambda turn: "x" * (17 * 1024 * 1024)) as (keeper, _):
            keeper.open()
            keeper.ask("hi")
            self.assertIn("over its limit", keeper.expect("error")["error"]["message"])


class Cancelling(unittest.TestCase):
    def test_an_async_handler_is_cancelled_and_the_request_answered(self) -> None:
        async def handler(turn: AsyncTurn) -> str:
            if turn.message == "hang":
                await asyncio.Event().wait()
            return turn.message

        with agent_in_thread(AsyncAgent("test"), handler) as (keeper, _):
            keeper.open()
            keeper.ask("hang")
            keeper.send("process_cancel", request_id="q1", reason="deadline")
            error = keeper.expect("error")
            self.assertEqual((error["request_id"], error["error"]["code"]), ("q1", "CANCELLED"))
            keeper.ask("next", "q2")
            self.assertEqual(keeper.answer("q2"), "next")

    def test_a_plain_handler_learns_of_it_by_its_next_call(self) -> None:
        agent = Agent("test")
        started = threading.Event()

        def handler(turn: Turn) -> str:
            if turn.message == "loop":
                started.set()
                while not turn.cancelled:
                    agent.progress()
                turn.say("too late")
            return turn.message

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("loop")
            started.wait(20)
            keeper.send("process_cancel", request_id="q1", reason="page")
            self.assertEqual(keeper.expect("error")["error"]["code"], "CANCELLED")
            self.assertEqual(keeper.of("process_delta"), [])

    def test_a_newer_attempt_withdraws_the_older_one(self) -> None:
        async def handler(turn: AsyncTurn) -> str:
            if turn.attempt == 1:
                await asyncio.Event().wait()
            return f"attempt {turn.attempt}"

        with agent_in_thread(AsyncAgent("test"), handler) as (keeper, _):
            keeper.open()
            keeper.ask("hi", "q1", attempt=1)
            keeper.ask("hi", "q2", attempt=2)
            self.assertEqual(keeper.expect("error")["request_id"], "q1")
            self.assertEqual(keeper.answer("q2"), "attempt 2")


@mock.patch.object(limits, "HEARTBEAT_S", 0.05)
class LifeAndProgress(unittest.TestCase):
    def hang_and_watch(self, agent: "Agent | AsyncAgent", blocks: bool) -> None:
        started, go_on = threading.Event(), threading.Event()

        def plain(turn: Turn) -> str:
            started.set()
            go_on.wait(20)
            return turn.message

        async def blocking(turn: AsyncTurn) -> str:
            started.set()
            go_on.wait(20)  # blocks the event loop itself
            return turn.message

        with agent_in_thread(agent, blocking if blocks else plain) as (keeper, _):
            keeper.open()
            keeper.ask("hi")
            started.wait(20)
            keeper.send("ping", nonce=7)
            self.assertEqual(keeper.expect("pong")["nonce"], 7)
            beats = [keeper.expect("heartbeat")["p"] for _ in range(3)]
            self.assertEqual(beats[1], beats[2], "a handler that hangs moves no progress")
            go_on.set()
            self.assertEqual(keeper.answer(), "hi")
            self.assertGreater(keeper.expect("heartbeat")["p"], beats[2])

    def test_a_blocked_plain_handler_breathes_and_stands_still(self) -> None:
        self.hang_and_watch(Agent("test"), blocks=False)

    def test_a_blocked_event_loop_breathes_and_stands_still(self) -> None:
        self.hang_and_watch(AsyncAgent("test"), blocks=True)

    def test_progress_is_moved_by_the_handler(self) -> None:
        agent = Agent("test")
        stop = threading.Event()

        def handler(turn: Turn) -> str:
            while not stop.wait(0.001):
                agent.progress()
            return "done"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("hi")
            first = keeper.expect("heartbeat")["p"]
            self.assertGreater(keeper.expect("heartbeat")["p"], first)
            stop.set()
            self.assertEqual(keeper.answer(), "done")


class Reports(unittest.TestCase):
    def test_evidence_metrics_and_intents_are_valid_messages(self) -> None:
        agent = AsyncAgent("test")
        heard = []

        @agent.on_evolution_result
        def result(message: object) -> None:
            heard.append(message)

        async def handler(turn: AsyncTurn) -> str:
            await agent.evidence({"saw": turn.message}, tags=["a"])
            await agent.report_error("TOOL_FAILED", "no tool", {"tool": "x"})
            await agent.propose("tools", "code", "faster", {"latency": -0.2})
            return "done"

        with agent_in_thread(agent, handler) as (keeper, _):
            keeper.open()
            keeper.ask("hi")
            self.assertEqual(keeper.expect("evidence")["body"], {"saw": "hi"})
            self.assertFalse(keeper.expect("error")["fatal"])
            self.assertEqual(keeper.expect("evolution_intent")["hypothesis"]["target"], "tools")
            keeper.send("evolution_result", success=False, decision="rejected", reason="not yet")
            self.assertEqual(keeper.answer(), "done")
            keeper.send("metrics_request")
            self.assertEqual(keeper.expect("metrics")["data"]["error_rate"], 0.0)
            keeper.ask("again", "q2")
            keeper.expect("evidence")  # the turn after it began: what came before was taken
            self.assertEqual(len(heard), 1)


if __name__ == "__main__":
    unittest.main()

/** Turns, life and progress: what the keeper sees of a handler that works, streams, hangs, fails or is withdrawn. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { createAgent, TurnFailed } from "../src/index.js";
import { runInMemory } from "./keeper.js";

test("an agent says hello first, then ready, and pieces come before the answer", async () => {
  const agent = createAgent({
    name: "test",
    onHotReload: () => undefined,
    onRequest: async (turn) => {
      await turn.say("so: ");
      return turn.message;
    },
  });
  const { keeper, cut } = runInMemory(agent);
  const hello = await keeper.open();
  assert.deepEqual([hello["agent"], hello["version"], keeper.seen[0]?.type], ["test", 3, "hello"]);
  assert.ok(hello["capabilities"].includes("hot_reload") && !hello["capabilities"].includes("restore"));
  keeper.ask("hi");
  assert.equal(await keeper.answer(), "hi");
  assert.deepEqual(keeper.of("process_delta").map((delta) => delta["text"]), ["so: "]);
  await cut();
});

test("a refusal ends the agent with its code", async () => {
  const { keeper, ended } = runInMemory(createAgent({ name: "test", onRequest: () => "" }));
  await keeper.expect("hello");
  keeper.send("error", { error: { code: "STALE_RUN", message: "the run is over" } });
  assert.match(String(await ended), /KeeperRefused: STALE_RUN/);
});

test("a frame that is no message is answered with an error that names the field", async () => {
  const { keeper, cut } = runInMemory(createAgent({ name: "test", onRequest: (turn) => turn.message }));
  await keeper.open();
  keeper.sendUnchecked("process_request", { request_id: "q", data: { message: 5, user_id: "nicolas" } });
  const error = await keeper.expect("error");
  assert.deepEqual([error["error"].code, error["error"].context.path, error["request_id"]], ["INVALID_MESSAGE", "data.message", "q"]);
  keeper.ask("still there?");
  assert.equal(await keeper.answer(), "still there?");
  await cut();
});

test("checkpoint without restore is refused before anything is sent", () => {
  assert.throws(() => createAgent({ name: "test", onRequest: () => "", onCheckpoint: () => ({}) }), TypeError);
});

test("a voice carries calls, thought and usage", async () => {
  const { keeper, cut } = runInMemory(
    createAgent({
      name: "test",
      onRequest: (turn) => {
        assert.deepEqual([turn.number, turn.attempt, turn.userId], [2, 1, "nicolas"]);
        return { tool_calls: [{ name: "a.b", arguments: { x: 1 }, id: "c9" }], thought: "hm", usage: { input_tokens: 3, output_tokens: 4 } };
      },
    }),
  );
  await keeper.open();
  keeper.ask("hi", "q1", { turn: 2, attempt: 1 });
  const response = await keeper.expect("process_response");
  assert.deepEqual(response["voice"], {
    thought: "hm", emotive_state: "neutral", final_response: null, tool_calls: [{ id: "c9", name: "a.b", arguments: { x: 1 } }],
  });
  assert.equal(response["usage"].input_tokens, 3);
  await cut();
});

test("a failure ends the turn and not the agent", async () => {
  const { keeper, cut } = runInMemory(
    createAgent({
      name: "test",
      onRequest: (turn) => {
        if (turn.message === "busy") throw new TurnFailed("MODEL_RATE_LIMITED", "slow down", { retryAfterMs: 1500 });
        if (turn.message === "declined") throw new TurnFailed("MODEL_REFUSED", "no", { usage: { input_tokens: 7, output_tokens: 1 } });
        if (turn.message === "unsayable") return { final_response: "1", tool_calls: [{ name: "a", arguments: { x: NaN } }] };
        if (turn.message === "large") return "x".repeat(17 * 1024 * 1024);
        if (turn.message === "wrong") return 5 as unknown as string;
        if (turn.message === "bug") throw new RangeError("off by one");
        return "fine";
      },
    }),
  );
  await keeper.open();
  keeper.ask("busy");
  const busy = (await keeper.expect("error"))["error"];
  assert.deepEqual([busy.code, busy.retry_after_ms], ["MODEL_RATE_LIMITED", 1500]);
  keeper.ask("bug", "q2");
  const bug = await keeper.expect("error");
  assert.deepEqual([bug["request_id"], bug["error"].code], ["q2", "EVAL_ERROR"]);
  assert.match(bug["error"].stack_trace, /RangeError/);
  keeper.ask("wrong", "q3");
  assert.match((await keeper.expect("error"))["error"].message, /must return/);
  keeper.ask("large", "q4");
  assert.match((await keeper.expect("error"))["error"].message, /over its limit/);
  keeper.ask("declined", "q5");
  const declined = await keeper.expect("error");
  assert.deepEqual([declined["error"].code, declined["usage"].input_tokens], ["MODEL_REFUSED", 7]);
  keeper.ask("unsayable", "q6");
  assert.match((await keeper.expect("error"))["error"].message, /voice\.tool_calls\[0\]\.arguments\.x/);
  keeper.ask("ok", "q7");
  assert.equal(await keeper.answer("q7"), "fine");
  await cut();
});

test("a withdrawn turn learns of it by its signal and by its next call", async () => {
  const agent = createAgent({
    name: "test",
    onRequest: async (turn) => {
      if (turn.message !== "hang") return turn.message;
      await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
      await turn.say("too late");
      return "never";
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("hang");
  keeper.send("process_cancel", { request_id: "q1", reason: "deadline" });
  const error = await keeper.expect("error");
  assert.deepEqual([error["request_id"], error["error"].code], ["q1", "CANCELLED"]);
  assert.deepEqual(keeper.of("process_delta"), []);
  keeper.ask("next", "q2");
  assert.equal(await keeper.answer("q2"), "next");
  await cut();
});

test("a newer attempt withdraws the older one", async () => {
  const agent = createAgent({
    name: "test",
    onRequest: async (turn) => {
      if (turn.attempt === 1) await new Promise((_, reject) => turn.signal.addEventListener("abort", () => reject(new Error("stop"))));
      return `attempt ${turn.attempt}`;
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("hi", "q1", { attempt: 1 });
  keeper.ask("hi", "q2", { attempt: 2 });
  assert.equal((await keeper.expect("error"))["request_id"], "q1");
  assert.equal(await keeper.answer("q2"), "attempt 2");
  await cut();
});

test("a handler that waits breathes and stands still; progress is moved by the work alone", async () => {
  let goOn = (): void => undefined;
  const agent = createAgent({
    name: "test",
    onRequest: async () => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return "done";
    },
  });
  const { keeper, cut } = runInMemory(agent, undefined, 20);
  await keeper.open();
  keeper.ask("hi");
  keeper.send("ping", { nonce: 7 });
  assert.equal((await keeper.expect("pong"))["nonce"], 7);
  const first = (await keeper.expect("heartbeat"))["p"];
  assert.equal((await keeper.expect("heartbeat"))["p"], first);
  agent.progress();
  assert.equal((await keeper.expect("heartbeat"))["p"], first + 1);
  goOn();
  assert.equal(await keeper.answer(), "done");
  assert.ok((await keeper.expect("heartbeat"))["p"] > first + 1);
  await cut();
});

test("evidence, metrics and intents are valid messages", async () => {
  const heard: unknown[] = [];
  const agent = createAgent({
    name: "test",
    onEvolutionResult: (result) => void heard.push(result["decision"]),
    onMetrics: () => ({ memory_blocks: 3 }),
    onRequest: async (turn) => {
      await agent.evidence({ saw: turn.message }, "observation", ["a"]);
      await agent.reportError("TOOL_FAILED", "no tool", { tool: "x" });
      await agent.propose({ target: "tools", newCode: "code", reason: "faster", expectedImprovement: { latency: -0.2 } });
      return "done";
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("hi");
  assert.deepEqual((await keeper.expect("evidence"))["body"], { saw: "hi" });
  assert.equal((await keeper.expect("error"))["fatal"], false);
  assert.equal((await keeper.expect("evolution_intent"))["hypothesis"].target, "tools");
  keeper.send("evolution_result", { success: false, decision: "rejected", reason: "not yet" });
  assert.equal(await keeper.answer(), "done");
  keeper.send("metrics_request");
  const { data } = await keeper.expect("metrics");
  assert.deepEqual([data.error_rate, data.memory_blocks], [0, 3]);
  keeper.ask("again", "q2");
  await keeper.expect("evidence"); // the turn after it began: what came before was taken
  assert.deepEqual(heard, ["rejected"]);
  await cut();
});

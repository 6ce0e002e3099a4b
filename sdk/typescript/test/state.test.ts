/** State that outlives the process: the log, checkpoints, restore, hot reload, shutdown and lost links. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { createAgent, LinkLost, TooLarge, WalRefused, type AgentOptions, type State, type Turn } from "../src/index.js";
import { ONCE_KEYS_MAX } from "../src/limits.js";
import { OnceKeys } from "../src/once.js";
import { pack } from "../src/packing.js";
import { compress, unfold, zstdAvailable } from "../src/squeeze.js";
import { runInMemory, Store } from "./keeper.js";

/** An agent that keeps a list of texts. */
function notes(options: Partial<AgentOptions> = {}) {
  const state = { texts: [] as string[] };
  const agent = createAgent({
    name: "test",
    onEntry: (entry) => void state.texts.push(entry.params["text"] as string),
    onCheckpoint: () => ({ texts: [...state.texts] }),
    onRestore: (snapshot: State | null, entries) => {
      assert.deepEqual(entries, [], "with onEntry the entries go there");
      state.texts = [...((snapshot as { texts?: string[] } | null)?.texts ?? [])];
    },
    onRequest: (turn: Turn) => note(turn),
    ...options,
  });
  const note = async (turn: Turn): Promise<string> => `${await agent.wal("note", { text: turn.message })}: ${state.texts.join(" ")}`;
  return { agent, state, note };
}

test("nothing is applied or answered before the ack", async () => {
  const { agent, state } = notes();
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("a");
  const entry = await keeper.expect("wal_entry");
  assert.deepEqual(entry["data"], { operation: "note", params: { text: "a" }, sequence: 1 });
  keeper.send("ping", { nonce: 1 });
  await keeper.expect("pong");
  assert.deepEqual([state.texts, keeper.of("process_response")], [[], []]);
  keeper.send("wal_ack", { sequence: keeper.store.add(entry) });
  assert.equal(await keeper.answer(), "1: a");
  await cut();
});

test("entries travel in groups and in order", async () => {
  const { agent, state } = notes({
    onRequest: async () => {
      const numbers = await Promise.all(Array.from({ length: 250 }, (_, at) => agent.wal("note", { text: String(at) })));
      return String(new Set(numbers).size);
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  assert.equal(await keeper.answer(), "250");
  assert.deepEqual(keeper.of("wal_batch").map((batch) => batch["data"].length), [100, 100, 50]);
  assert.deepEqual(state.texts, Array.from({ length: 250 }, (_, at) => String(at)));
  await cut();
});

test("an operation with a key is logged once over withdrawals, checkpoints and deaths", async () => {
  const store = new Store();
  for (let life = 0; life < 4; life += 1) {
    const { agent, state } = notes({
      onRequest: async (turn) => {
        const isNew = await agent.once(turn.key, "note", { text: turn.message });
        return `${isNew} ${state.texts.join(" ")}`;
      },
    });
    const { keeper, cut } = runInMemory(agent, store);
    await keeper.open();
    const ask = (text: string, id: string, turn: number): void => keeper.ask(text, id, { epoch_id: "e1", turn });
    ask("a", `a${life}`, 1);
    if (life === 0) {
      // Withdrawn on the way to the disk, and asked anew: the entry is the same one. The handler does not look at its signal.
      const entry = await keeper.expect("wal_entry");
      assert.equal(entry["data"].once, "e1/1");
      keeper.send("process_cancel", { request_id: "a0", reason: "deadline" });
      ask("a", "again", 1);
      keeper.send("wal_ack", { sequence: keeper.store.add(entry) });
      assert.equal(await keeper.answer("a0"), "true a");
      assert.equal(await keeper.answer("again"), "false a");
      ask("b", "b", 2);
      // Stored, and killed before it heard so.
      store.add(await keeper.expect("wal_entry"));
    } else {
      assert.equal(await keeper.answer(`a${life}`), "false a b");
      ask("b", "b", 2);
      assert.equal(await keeper.answer("b"), "false a b");
      keeper.send("checkpoint_request", { reason: "manual" });
      assert.deepEqual((await keeper.keepCheckpoint())["data"].abide_once, ["e1/1", "e1/2"]);
    }
    await cut();
  }
});

test("keys are bounded and beside the author's state", () => {
  const keys = new OnceKeys();
  for (let at = 0; at < ONCE_KEYS_MAX + 5; at += 1) {
    keys.add(String(at));
  }
  assert.deepEqual([keys.has("4"), keys.has("5")], [false, true]);
  const again = new OnceKeys();
  assert.deepEqual(again.takeBack(keys.beside({ own: 1 })), { own: 1 });
  assert.ok(again.has("1028"));
  assert.deepEqual(again.takeBack({ own: 2 }), { own: 2 });
  assert.ok(!again.has("1028"));
  assert.throws(() => keys.beside({ abide_once: 1 }), /abide_once/);
});

test("an entry that nobody waits for goes out by itself", async () => {
  const { agent } = notes({
    onRequest: () => {
      agent.walLater("note", { text: "later" });
      return "done";
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  assert.equal(await keeper.answer(), "done");
  assert.equal((await keeper.expect("wal_entry"))["data"].params.text, "later");
  await cut();
});

test("a full log refuses, leaves no gap, and goes on after a checkpoint", async () => {
  const { agent, note } = notes({
    onRequest: (turn) => note(turn).catch((error: unknown) => (error instanceof WalRefused ? error.code : String(error))),
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("a");
  await keeper.expect("wal_entry");
  keeper.send("error", { error: { code: "WAL_FULL", message: "full" } });
  assert.equal(await keeper.answer(), "WAL_FULL");
  keeper.send("checkpoint_request", { reason: "wal" });
  assert.deepEqual((await keeper.keepCheckpoint())["data"], { texts: [] });
  keeper.ask("b", "q2");
  assert.equal(await keeper.answer("q2"), "1: b");
  await cut();
});

test("an entry over ten kilobytes is refused before it is sent", async () => {
  const { agent } = notes({
    onRequest: () => agent.wal("note", { text: "x".repeat(11_000) }).then(String, (error: Error) => `${error instanceof TooLarge} ${error.message}`),
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  assert.match(await keeper.answer(), /^true .*checkpoint/);
  assert.deepEqual(keeper.of("wal_entry"), []);
  await cut();
});

test("a gap ends the session, for only restore can tell what is stored", async () => {
  const { agent, state } = notes();
  const { keeper, ended } = runInMemory(agent);
  await keeper.open();
  keeper.ask("a");
  await keeper.expect("wal_entry");
  keeper.send("error", { error: { code: "SEQUENCE_GAP", message: "1 does not follow 4" } });
  assert.ok((await ended) instanceof LinkLost);
  assert.deepEqual(state.texts, []);
});

test("a state that no longer follows the log ends the agent", async () => {
  const { agent } = notes({
    onEntry: () => {
      throw new RangeError("broken");
    },
  });
  const { keeper, ended } = runInMemory(agent);
  await keeper.open();
  keeper.ask("a");
  keeper.send("wal_ack", { sequence: keeper.store.add(await keeper.expect("wal_entry")) });
  assert.ok((await ended) instanceof RangeError);
});

test("whatever was acknowledged is there after any death, once and in order", async () => {
  const store = new Store();
  const said: string[] = [];
  for (let life = 0; life < 12; life += 1) {
    const { agent, state } = notes();
    const { keeper, cut } = runInMemory(agent, store);
    await keeper.open();
    assert.deepEqual(state.texts, said);
    for (let at = 0; at <= life % 3; at += 1) {
      const text = `${life}.${at}`;
      keeper.ask(text, text);
      said.push(text);
      assert.equal(await keeper.answer(text), `${said.length}: ${said.join(" ")}`);
      if (life % 4 === 1) {
        keeper.send("checkpoint_request", { reason: "manual" });
        assert.equal((await keeper.keepCheckpoint())["wal_sequence"], said.length);
      }
    }
    // The last entry is stored and its ack never sent: durable all the same.
    keeper.ask("cut", "cut");
    store.add(await keeper.expect("wal_entry"));
    said.push("cut");
    await cut();
  }
  assert.deepEqual(store.entries.map((entry) => entry.sequence), said.map((_, at) => at + 1));
});

test("restore hands over snapshot and entries without onEntry", async () => {
  const got: unknown[] = [];
  const agent = createAgent({
    name: "test",
    onRestore: (snapshot, entries) => void got.push(snapshot, entries.map((entry) => entry.sequence)),
    onRequest: async () => String(await agent.wal("o", {})),
  });
  const store = new Store();
  store.snapshot = { bytes: new Uint8Array([1]) };
  store.snapshotSequence = 2;
  store.entries = [1, 2, 3].map((sequence) => ({ operation: "o", params: {}, sequence }));
  const { keeper, cut } = runInMemory(agent, store);
  assert.ok((await keeper.open())["capabilities"].includes("restore"));
  assert.deepEqual(got, [new Uint8Array([1]), [3]]);
  keeper.ask("go");
  assert.equal(await keeper.answer(), "4");
  await cut();
});

test("a compressed snapshot is taken back where zstd is there, and refused aloud where not", async () => {
  const { agent, state } = notes();
  const { keeper, cut } = runInMemory(agent);
  const snapshot = zstdAvailable() ? compress(pack({ texts: ["a"] })) : new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x20, 0]);
  assert.equal((await keeper.expect("hello"))["capabilities"].includes("zstd"), zstdAvailable());
  keeper.welcome(5, true);
  keeper.send("restore", { checkpoint_id: "c1", snapshot, compressed: true, compression: "zstd", wal_entries: [], next_sequence: 5 });
  const acked = await keeper.expect("restore_ack");
  assert.equal(acked["ok"], zstdAvailable());
  if (acked["ok"]) {
    assert.deepEqual([state.texts, acked["sequence"]], [["a"], 4]);
  } else {
    assert.match(acked["error"].message, /no zstd/);
  }
  await cut();
});

test("without a checkpoint entries alone need no onRestore", async () => {
  const texts: unknown[] = [];
  const store = new Store();
  store.entries = [{ operation: "o", params: { text: "a" }, sequence: 1 }];
  const agent = createAgent({ name: "test", onEntry: (entry) => void texts.push(entry.params["text"]), onRequest: () => texts.join() });
  const { keeper, cut } = runInMemory(agent, store);
  await keeper.open();
  keeper.ask("go");
  assert.equal(await keeper.answer(), "a");
  await cut();
});

test("what the welcome does not announce is not waited for", async () => {
  const { agent } = notes();
  const { keeper, cut } = runInMemory(agent);
  await keeper.expect("hello");
  keeper.welcome(7, false);
  await keeper.expect("ready");
  keeper.ask("go");
  assert.equal((await keeper.expect("wal_entry"))["data"].sequence, 7);
  await cut();
});

test("a failed restore is refused and never an empty start", async () => {
  const store = new Store();
  store.entries = [{ operation: "o", params: {}, sequence: 1 }];
  const { keeper, ended } = runInMemory(createAgent({ name: "test", onRequest: () => "never" }), store);
  await keeper.expect("hello");
  keeper.welcome(2, true);
  keeper.send("restore", store.restoreFields());
  assert.equal((await keeper.expect("restore_ack"))["ok"], false);
  assert.match(String(await ended), /no onRestore or onEntry/);
  assert.deepEqual(keeper.of("ready"), []);
});

test("a checkpoint beside a turn names exactly the entries it holds", async () => {
  const { agent } = notes({
    onRequest: async () => {
      await agent.wal("note", { text: "one" });
      await agent.wal("note", { text: "two" });
      return "done";
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  keeper.send("wal_ack", { sequence: keeper.store.add(await keeper.expect("wal_entry")) });
  const second = await keeper.expect("wal_entry");
  keeper.send("checkpoint_request", { reason: "manual" });
  const checkpoint = await keeper.keepCheckpoint();
  assert.deepEqual([checkpoint["wal_sequence"], checkpoint["data"]], [1, { texts: ["one"] }]);
  keeper.send("wal_ack", { sequence: keeper.store.add(second) });
  assert.equal(await keeper.answer(), "done");
  await cut();
});

test("without onEntry a checkpoint waits for the turn", async () => {
  let count = 0;
  const agent = createAgent({
    name: "test",
    onCheckpoint: () => ({ count }),
    onRestore: () => undefined,
    onRequest: async () => {
      await agent.wal("add", {});
      await new Promise((resolve) => setImmediate(resolve)); // between the ack and the change
      count += 1;
      return "done";
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  const entry = await keeper.expect("wal_entry");
  keeper.send("checkpoint_request", { reason: "manual" });
  keeper.send("wal_ack", { sequence: keeper.store.add(entry) });
  assert.equal(await keeper.answer(), "done");
  const checkpoint = await keeper.keepCheckpoint();
  assert.deepEqual([checkpoint["wal_sequence"], checkpoint["data"]], [1, { count: 1 }]);
  await cut();
});

test("a handler may take a checkpoint itself and hears of failure", async () => {
  const agent = createAgent({
    name: "test",
    onCheckpoint: () => new Uint8Array([1, 2]),
    onRestore: () => undefined,
    onRequest: () => agent.checkpoint().catch((error: Error) => error.message),
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  assert.deepEqual((await keeper.keepCheckpoint())["data"], { bytes: new Uint8Array([1, 2]) });
  assert.equal(await keeper.answer(), "c1");
  keeper.ask("again", "q2");
  await keeper.expect("checkpoint");
  keeper.send("error", { error: { code: "CHECKPOINT_FAILED", message: "the disk is full" } });
  assert.equal(await keeper.answer("q2"), "the disk is full");
  await cut();
});

test("a large state is compressed where zstd is there", async () => {
  const { agent, state } = notes();
  state.texts = ["x".repeat(2_000_000)];
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.send("checkpoint_request", { reason: "interval" });
  const checkpoint = await keeper.keepCheckpoint();
  assert.equal(checkpoint["compressed"] ?? false, zstdAvailable());
  if (zstdAvailable()) {
    assert.deepEqual(unfold(checkpoint["data"], "zstd", "data"), { texts: state.texts });
  }
  await cut();
});

test("shutdown withdraws the turn, takes a checkpoint and ends", async () => {
  const { agent } = notes({
    onRequest: async (turn) => {
      await agent.wal("note", { text: "kept" });
      while (!turn.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
      return "sent late";
    },
  });
  const { keeper, ended } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  keeper.send("wal_ack", { sequence: keeper.store.add(await keeper.expect("wal_entry")) });
  keeper.send("shutdown", { reason: "restart", create_checkpoint: true });
  await keeper.expect("process_response");
  assert.deepEqual((await keeper.keepCheckpoint())["data"], { texts: ["kept"] });
  await keeper.waitForEnd();
  assert.equal(await ended, undefined);
});

test("shutdown without a checkpoint still stores what waits", async () => {
  const { agent } = notes({
    onRequest: () => {
      agent.walLater("note", { text: "waiting" });
      return "done";
    },
  });
  const { keeper, ended } = runInMemory(agent);
  await keeper.open();
  keeper.ask("go");
  assert.equal(await keeper.answer(), "done");
  keeper.send("shutdown", { reason: "stop", create_checkpoint: false });
  keeper.send("wal_ack", { sequence: keeper.store.add(await keeper.expect("wal_entry")) });
  await keeper.waitForEnd();
  assert.equal(await ended, undefined);
});

test("new code is loaded between turns and its failure reported", async () => {
  const loaded: string[] = [];
  const agent = createAgent({
    name: "test",
    onRequest: () => "done",
    onHotReload: async (module, code) => {
      if (code === "bad") throw new SyntaxError("no code");
      loaded.push(module);
    },
  });
  const { keeper, cut } = runInMemory(agent);
  await keeper.open();
  keeper.send("hot_reload", { module: "memory", code: "good", backup_checkpoint_id: "c1" });
  assert.equal((await keeper.expect("hot_reload_ack"))["ok"], true);
  keeper.send("hot_reload", { module: "tools", code: "bad", backup_checkpoint_id: "c1" });
  const refused = await keeper.expect("hot_reload_ack");
  assert.deepEqual([refused["module"], refused["ok"], loaded], ["tools", false, ["memory"]]);
  assert.match(refused["error"].message, /SyntaxError/);
  await cut();
});

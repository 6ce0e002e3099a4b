/** Real processes: stdout is the frames' alone, `kill -9` loses nothing, sockets are found again, the I/O thread breathes. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { createAgent } from "../src/index.js";
import { Keeper, runProcess, runtimes, Store } from "./keeper.js";

const program = (name: string): string => fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const example = join(root, "examples", "echo.mjs");

for (const runtime of runtimes()) {
  test(`what the program prints does not break frames (${runtime.name})`, async () => {
    const { keeper, exit, words } = runProcess([program("noisy")], undefined, runtime);
    assert.equal((await keeper.open())["agent"], "echo");
    keeper.ask("hi");
    assert.equal(await keeper.answer(), "quiet");
    keeper.send("shutdown", { reason: "end", create_checkpoint: false });
    await keeper.waitForEnd();
    assert.equal(await exit, 0);
    for (const word of [/before run/, /a line for people/, /raw text/, /│ *(0|a) *│|a: 1/]) {
      assert.match(words(), word);
    }
  });

  test(`the README's command starts the example in the README's folder (${runtime.name})`, async () => {
    const command = /^command = (\[.*?\])/m.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1] ?? "";
    const [word, ...args] = JSON.parse(command) as string[];
    assert.equal(word, "node");
    const { keeper, child, exit } = runProcess(args, undefined, runtime);
    await keeper.open();
    child.stdin?.end();
    assert.equal(await exit, 0);
  });

  test(`the example remembers over kill -9 (${runtime.name})`, async () => {
    const store = new Store();
    for (let life = 1; life <= 3; life += 1) {
      const { keeper, child, exit } = runProcess([example], store, runtime);
      await keeper.open();
      // Killed between the answer and its commit, the same turn is asked again: it counts once.
      for (const epoch of new Set([Math.max(life - 1, 1), life])) {
        keeper.ask(`text ${epoch}`, `${life}.${epoch}`, { epoch_id: `0193-${epoch}`, turn: 1 });
        assert.equal(await keeper.answer(`${life}.${epoch}`), `I heard: text ${epoch} (message ${Math.max(epoch, life - 1)})`);
      }
      if (life === 2) {
        keeper.send("checkpoint_request", { reason: "manual" });
        await keeper.keepCheckpoint();
      }
      child.kill("SIGKILL");
      await exit;
    }
  });

  test(`the evolving example proposes code and answers by what it was given (${runtime.name})`, async () => {
    const { keeper, child, exit } = runProcess([join(root, "examples", "evolving.mjs")], undefined, runtime);
    assert.ok(((await keeper.open())["capabilities"] as string[]).includes("hot_reload"));
    const code = "return [...words].sort((a, b) => a.length - b.length)[0];";
    keeper.ask("ox elephant", "r1", { epoch_id: "e1", turn: 1 });
    assert.deepEqual((await keeper.expect("evidence"))["body"], { picked: "elephant" });
    assert.equal(await keeper.answer("r1"), "elephant (word 1)");
    keeper.ask(`improve: ${code}`, "r2", { epoch_id: "e2", turn: 1 });
    const intent = await keeper.expect("evolution_intent");
    assert.equal((intent["hypothesis"] as Record<string, unknown>)["new_code"], code);
    await keeper.answer("r2");
    const given: [string, string, boolean, string][] = [
      ["r3", code, true, "ox (word 2)"],
      ["r4", "return 7;", false, "ox (word 3)"],
    ];
    for (const [request, text, loads, answer] of given) {
      keeper.send("hot_reload", { module: "memory", code: text, backup_checkpoint_id: "c1" });
      assert.equal((await keeper.expect("hot_reload_ack"))["ok"], loads);
      keeper.ask("ox elephant", request, { epoch_id: request, turn: 1 });
      await keeper.expect("evidence");
      assert.equal(await keeper.answer(request), answer);
    }
    child.stdin?.end();
    assert.equal(await exit, 0);
  });

  test(`a keeper that goes ends the agent (${runtime.name})`, async () => {
    for (const args of [[example], [program("blocker")]]) {
      const { keeper, child, exit } = runProcess(args, undefined, runtime);
      await keeper.open();
      child.stdin?.end();
      assert.equal(await exit, 0);
    }
  });

  test(`with an I/O thread a blocked event loop breathes, answers pings and stands still (${runtime.name})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "abide-"));
    const go = join(folder, "go");
    const { keeper, exit } = runProcess([program("blocker")], undefined, runtime);
    await keeper.open();
    keeper.ask(go);
    await keeper.expect("process_delta");
    await keeper.expect("heartbeat"); // the first after the piece may be older than the block
    keeper.send("ping", { nonce: 7 });
    assert.equal((await keeper.expect("pong"))["nonce"], 7);
    const first = (await keeper.expect("heartbeat"))["p"];
    assert.equal((await keeper.expect("heartbeat"))["p"], first);
    writeFileSync(go, "");
    assert.equal(await keeper.answer(), "1");
    assert.ok((await keeper.expect("heartbeat"))["p"] > first);
    keeper.send("shutdown", { reason: "end", create_checkpoint: false });
    await keeper.waitForEnd();
    assert.equal(await exit, 0);
    rmSync(folder, { recursive: true });
  });
}

/** A keeper's socket: gives one link after the other. */
async function listening(folder: string): Promise<{ address: string; accept: (store: Store) => Promise<{ keeper: Keeper; socket: net.Socket }>; close: () => void }> {
  const waiting: net.Socket[] = [];
  let wake = (): void => undefined;
  const server = net.createServer((socket) => {
    waiting.push(socket);
    wake();
  });
  const path = join(folder, "keeper.sock");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accept = async (store: Store) => {
    while (waiting.length === 0) {
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const socket = waiting.shift() as net.Socket;
    const keeper = new Keeper((data) => socket.write(data), store);
    socket.on("data", (data) => keeper.receive(data));
    socket.on("close", () => keeper.end());
    socket.on("error", () => undefined);
    return { keeper, socket };
  };
  return { address: `unix:${path}`, accept, close: () => server.close() };
}

test("a lost socket is found again with the state given back, on either kind of link", async () => {
  for (const ioThread of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), "abide-"));
    const server = await listening(folder);
    let heard: unknown[] = [];
    const agent = createAgent({
      name: "far",
      address: server.address,
      token: "secret",
      ioThread,
      onEntry: (entry) => void heard.push(entry.params["text"]),
      onRestore: () => void (heard = []),
      onRequest: async (turn) => {
        await agent.wal("heard", { text: turn.message });
        return heard.join(" ");
      },
    });
    const ended = agent.run();
    const store = new Store();
    for (const [text, whole] of [["a", "a"], ["b", "a b"], ["c", "a b c"]] as const) {
      const { keeper, socket } = await server.accept(store);
      assert.equal((await keeper.open())["token"], "secret");
      keeper.ask(text);
      assert.equal(await keeper.answer(), whole);
      if (text === "c") {
        keeper.send("shutdown", { reason: "end", create_checkpoint: false });
        await keeper.waitForEnd();
      }
      socket.destroy();
    }
    await ended;
    server.close();
    rmSync(folder, { recursive: true });
  }
});

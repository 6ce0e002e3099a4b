// The agent of `remember.py` in TypeScript's world: the messages `job:…` and `list`. Takes the paths of the SDK and of the
// witness.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";

const [sdk, witness] = process.argv.slice(2);
const { createAgent } = await import(sdk);

let notes = [];

const agent = createAgent({
  name: "remember",
  onEntry(entry) {
    notes.push(entry.params.note);
  },
  onCheckpoint: () => ({ notes: [...notes] }),
  onRestore(snapshot) {
    notes = [...(snapshot?.notes ?? [])];
  },
  async onRequest(turn) {
    if (turn.message === "list") {
      return JSON.stringify(notes);
    }
    const last = turn.steps.at(-1);
    if (last) {
      return `${turn.message} is done: ${last.tool_results[0].outcome}`;
    }
    const note = `${turn.message}#${randomUUID().slice(0, 12)}`;
    await agent.wal("note", { note });
    appendFileSync(witness, `${note}\n`);
    return { tool_calls: [{ name: "probe.append", arguments: { line: turn.message } }] };
  },
});

await agent.run();

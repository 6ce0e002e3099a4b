// An agent that picks a word of what it hears, by code that it can change: it proposes other code, and loads it when the keeper says so.
//
// In abide's configuration:  [[agent]]  id = "evolving"  mind = "agent"  command = ["node", "/path/of/evolving.mjs"]
// With `[evolution] enabled = true`, say `improve: ` and the body of another function of `words`.
import { createAgent } from "@abide/agent";

const OWN = "return [...words].sort((a, b) => a.length - b.length).at(-1);";
// Set in a process that only tries a change: what others would see is not done there.
const isShadow = process.env.ABIDE_SHADOW !== undefined;

let picked = [];
let pick = load(OWN);

// Takes a function's body as the code that runs; a throw leaves what ran.
function load(code) {
  const made = new Function("words", code);
  if (typeof made(["a", "word"]) !== "string") {
    throw new TypeError("the code must give one of the words");
  }
  return made;
}

const agent = createAgent({
  name: "evolving",
  onEntry(entry) {
    picked.push(entry.params.word);
  },
  onCheckpoint: () => ({ picked: [...picked] }),
  onRestore(snapshot) {
    picked = [...(snapshot?.picked ?? [])];
  },
  // Between two turns, and again after every restart: what runs is the keeper's word.
  onHotReload(module, code) {
    if (module !== "memory") {
      throw new Error(`there is no module ${module}`);
    }
    pick = load(code);
  },
  async onRequest(turn) {
    if (turn.message.startsWith("improve: ")) {
      const newCode = turn.message.slice("improve: ".length);
      await agent.propose({ target: "memory_system", newCode, reason: "it was asked for" });
      return "It is proposed.";
    }
    const words = turn.message.split(/\s+/).filter((word) => word !== "");
    const word = pick(words.length > 0 ? words : ["nothing"]);
    await agent.once(turn.key, "picked", { word });
    if (!isShadow) {
      await agent.evidence({ picked: word });
    }
    return `${word} (word ${picked.length})`;
  },
});

await agent.run();

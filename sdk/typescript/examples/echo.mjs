// An agent that repeats what it hears and remembers all of it once, also over `kill -9`.
//
// In abide's configuration:  [[agent]]  id = "echo"  mind = "agent"  command = ["node", "/path/of/echo.mjs"]
import { createAgent } from "@abide/agent";

let heard = [];

const agent = createAgent({
  name: "echo",
  // The one place where state changes: live, and again after a restart.
  onEntry(entry) {
    heard.push(entry.params.text);
  },
  onCheckpoint: () => ({ heard: [...heard] }),
  onRestore(snapshot) {
    heard = [...(snapshot?.heard ?? [])];
  },
  async onRequest(turn) {
    // Durable before it counts, and counted once: after a crash the same turn is asked again.
    await agent.once(turn.key, "heard", { text: turn.message });
    await turn.say("I heard: ");
    return `I heard: ${turn.message} (message ${heard.length})`;
  },
});

await agent.run();

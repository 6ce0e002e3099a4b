/** An agent on an I/O thread whose handler blocks the event loop until a file is there. */
import { existsSync } from "node:fs";

import { createAgent } from "../../src/index.js";

const agent = createAgent({
  ioThread: true,
  ...(process.argv[2] ? { address: process.argv[2], name: "far" } : {}),
  onEntry: () => undefined,
  onRestore: () => undefined,
  onRequest: async (turn) => {
    console.log("blocking");
    await turn.say("blocking");
    await new Promise((resolve) => setTimeout(resolve, 50)); // lets the piece leave the main thread
    if (turn.message !== "") {
      while (!existsSync(turn.message));
    }
    return String(await agent.wal("woke", {}));
  },
});
await agent.run();

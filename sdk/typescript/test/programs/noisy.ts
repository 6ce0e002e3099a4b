/** An agent that prints in every way it can. */
import { createAgent } from "../../src/index.js";

const agent = createAgent({
  onRequest: () => {
    console.log("a line for people");
    console.table([{ a: 1 }]);
    process.stdout.write("raw text\n");
    return "quiet";
  },
});
console.log("before run");
await agent.run();

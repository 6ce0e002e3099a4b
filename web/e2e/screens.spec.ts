// Draws the screens for docs/screens/: `npm run screens`. Not a test of its own; what it shows is held by the others.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type App, expect, test } from "./keeper";
import { calls, held, says } from "./model";

const FOLDER = process.env.SCREENS ?? fileURLToPath(new URL("../../docs/screens/", import.meta.url));
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** The screens: their file name and how to come there. */
const SCREENS: [name: string, path: string][] = [
  ["attention", "/"],
  ["neural-link", "/chat/felix"],
  ["timeline", "/timeline"],
  ["cortex", "/cortex/felix"],
  ["agents", "/agents"],
  ["watchdog", "/watchdog"],
  ["stdout", "/stdout"],
  ["settings", "/settings"],
];

const CONFIG = `[tools]
ask = ["clock.*"]
[[agent]]
id = "felix"
name = "Felix"
role = "assistant"
mind = "model"
[[agent]]
id = "iris"
name = "Iris"
role = "research"
mind = "model"
`;

test.use({ config: CONFIG, colorScheme: "dark" });

test("the screens", async ({ app, keeper }) => {
  await mkdir(FOLDER, { recursive: true });
  await live(app);
  const page = app.page;
  for (const { width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const [name, path] of SCREENS) {
      await app.open(path);
      // The stream never ends, so the network is never idle: what is read says so.
      await expect(page.getByText(/^Reading /)).toHaveCount(0);
      await page.screenshot({ path: `${FOLDER}${name}-${width}.png`, animations: "disabled" });
    }
    await app.open("/chat/felix");
    await page.getByRole("button", { name: "Context" }).first().click();
    await expect(page.getByText(/tokens, estimated/)).toBeVisible();
    await page.screenshot({ path: `${FOLDER}context-${width}.png`, animations: "disabled" });
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize(SIZES[0] ?? { width: 1440, height: 900 });
  for (const theme of ["light", "contrast"]) {
    await page.evaluate((one) => localStorage.setItem("abide.theme", one), theme);
    await app.open("/chat/felix");
    await page.screenshot({ path: `${FOLDER}neural-link-${theme}-1440.png`, animations: "disabled" });
  }
  void keeper;
});

/** Two agents with a past, an approval that waits, an answer that grows. */
async function live({ keeper }: App): Promise<void> {
  const { model } = keeper;
  model.script(
    calls("memory.remember_fact", { content: "the heron at the north pond is grey" }),
    says("I will remember that."),
  );
  await keeper.say("remember that the heron at the north pond is grey", {
    citizen: "felix",
    sender: "nicolas",
  });
  model.script(
    calls("memory.search_facts", { query: "heron" }),
    says(
      'The heron is **grey**, and it stands at the *north pond*.\n\n| when | where |\n|---|---|\n| dawn | reeds |\n| noon | the old jetty |\n\nIf you go:\n\n1. take the path by the mill\n2. be quiet near the reeds\n\n```sh\nabide say "is the heron there?"\n```',
    ),
  );
  await keeper.say("what do you know of the heron, and when should I go?", {
    citizen: "felix",
    sender: "nicolas",
  });
  model.script(says("Three papers fit; the second one answers it. I put the summary into the space."));
  await keeper.say("look for papers on herons and water levels", { citizen: "iris", sender: "nicolas" });
  model.script(calls("clock.now"));
  await keeper.api("POST", "/start-epoch", {
    message: "what time is it at the pond?",
    citizen: "iris",
    sender: "nicolas",
    interactive: true,
  });
  await expect
    .poll(async () => ((await keeper.api("GET", "/approvals")) as { items: unknown[] }).items.length)
    .toBe(1);
  const growing = held("Water levels rose by **12 cm** since Monday. Three things follow from", " it.");
  model.script(growing);
  growing.let(1);
  await keeper.api("POST", "/start-epoch", {
    message: "and how is the water?",
    citizen: "felix",
    sender: "nicolas",
  });
}

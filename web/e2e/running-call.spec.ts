// Calls while they run: what a command writes grows in its card, the steps of a server's tool are a bar, and the result takes that
// place. By the real tools, in a real browser.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, Keeper, test } from "./keeper";
import { Reply, says } from "./model";

// Between two themes colours would move for a moment, and be measured on their way.
test.use({
  config: '[tools]\nallow = ["shell.run"]\n[tools.shell]\nunconfined = true\n',
  reducedMotion: "reduce",
});

const THEMES = ["dark", "light", "contrast"];

async function isClean(page: Page): Promise<void> {
  for (const theme of THEMES) {
    await page.evaluate((one) => {
      document.documentElement.dataset.theme = one;
    }, theme);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200))}`);
    expect(found, theme).toEqual([]);
  }
}

/** Pictures to look at, where a folder for them is named. */
async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

test("what a command writes grows in its card until its result is there", async ({ app, keeper }) => {
  // It waits for whoever writes to the pipe.
  const waits = "seq 1 300; printf 'a\\342\\200\\256b\\n' >&2; cat go; echo after; cat go";
  const command = { name: "shell.run", arguments: { command: `mkfifo go && { ${waits}; }` } };
  keeper.model.script(new Reply([], [command]), says("It is done."));
  const page = await app.open("/chat/felix");
  await app.send("run it");

  const output = page.getByLabel("Output of shell.run so far");
  await expect(output).toContainText("300");
  await expect(output.locator("[data-stream=stderr]")).toHaveText("a⟦U+202E⟧b");
  expect(await output.locator("span").count()).toBeLessThanOrEqual(200);
  await expect(page.getByTestId("tool-card")).toContainText("running");
  await expect(page.getByTestId("tool-card")).not.toHaveAttribute("open");
  const fromEnd = () => output.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  expect(await fromEnd()).toBeLessThan(2);
  await shoot(page, "running-command");
  await isClean(page);

  // A page that is opened meanwhile sees what comes next, and that there was something before.
  const second = await page.context().newPage();
  await second.goto(`${keeper.url}/chat/felix`);
  await expect(second.getByTestId("connection")).toHaveAttribute("data-phase", "live");
  const pipe = join(keeper.home, "agents/felix/work/go");
  await writeFile(pipe, "from the pipe\n");
  await expect(output).toContainText("from the pipe");
  expect(await fromEnd()).toBeLessThan(2);
  const later = second.getByLabel("Output of shell.run so far");
  await expect(later).toContainText("from the pipe");
  await expect(later).toContainText("what it wrote before is not shown");

  await expect(output).toContainText("after");
  await writeFile(pipe, "");
  for (const one of [page, second]) {
    await expect(one.getByTestId("reply")).toHaveText("It is done.");
    await expect(one.getByTestId("call-said")).toHaveCount(0);
  }
  await page.getByTestId("tool-card").locator("summary").click();
  const result = page.getByRole("group", { name: "Result of shell.run", exact: true });
  await expect(result).toContainText("exit status 0");
  await expect(result.getByLabel("Output", { exact: true })).toContainText("from the pipe");
});

test("the steps of a server's tool are a bar with words until its result is there", async ({
  page,
  context,
}) => {
  const folder = await mkdtemp(join(tmpdir(), "abide-steps-"));
  const program = fileURLToPath(new URL("../../crates/mcp/tests/servers/faulty.py", import.meta.url));
  const keeper = await Keeper.start(
    `[[mcp]]\nname = "test"\ncommand = "/usr/bin/python3"\nargs = ["${program}", "${folder}"]\nwrite = ["${folder}"]\nallow = ["*"]\n`,
  );
  try {
    await keeper.admit(context);
    const isReady = async () => {
      const servers = (await keeper.api("GET", "/mcp/servers")) as { items: { tools: string[] }[] };
      return servers.items[0]?.tools.length ?? 0;
    };
    await expect.poll(isReady).toBeGreaterThan(0);
    const batches = [
      [{ progress: 1, total: 4, message: "reading <b>\u202E" }],
      [{ progress: 3, total: 4, message: "writing" }],
    ];
    // biome-ignore lint/suspicious/noThenProperty: an argument of the server's tool
    const call = { name: "mcp.test.append", arguments: { line: "a", then: "steps", batches } };
    keeper.model.script(new Reply([], [call]), says("It is done."));
    await page.goto(`${keeper.url}/chat/felix`);
    await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "live");
    await page.getByRole("textbox", { name: /^Message to/ }).fill("go");
    await page.getByRole("button", { name: "Send" }).click();
    const bar = page.getByRole("progressbar", { name: "Steps of mcp.test.append" });
    await expect(bar).toHaveAttribute("value", "1");
    await expect(page.getByTestId("call-said")).toHaveText("1 of 4 · reading <b>⟦U+202E⟧");
    await shoot(page, "running-steps");
    await isClean(page);
    await writeFile(join(folder, "go-a-0"), "");
    await expect(page.getByTestId("call-said")).toHaveText("3 of 4 · writing");
    await writeFile(join(folder, "go-a-1"), "");
    await expect(page.getByTestId("reply")).toHaveText("It is done.");
    await expect(bar).toHaveCount(0);
  } finally {
    await keeper.end();
    await rm(folder, { recursive: true, force: true });
  }
});

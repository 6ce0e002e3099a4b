// What tools gave, in forms of their own: files with their differences, commands, skills. By the real tools, in a real browser, in
// every theme, on a phone too.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { SAMPLES } from "../src/screens/chat/results/samples.fixture";
import { expect, Keeper, test } from "./keeper";
import { Reply, says } from "./model";

const CONFIG = `[tools]
allow = ["files.list", "files.read", "files.search", "files.edit", "files.move", "files.remove", "files.undo", "skills.read", "shell.run"]
ask = ["files.write"]
[tools.shell]
unconfined = true
[limits]
approval = "30m"
`;
const THEMES = ["dark", "light", "contrast"];

// Between two themes colours would move for a moment, and be measured on their way.
test.use({ reducedMotion: "reduce" });

async function withSkill(_: string, home: string): Promise<string> {
  const folder = join(home, "skills", "herons");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "SKILL.md"),
    "---\nname: herons\ndescription: How to look at herons.\n---\nStand still.\n",
  );
  return CONFIG;
}

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function inTheme(page: Page, theme: string): Promise<void> {
  await page.evaluate((one) => {
    document.documentElement.dataset.theme = one;
  }, theme);
}

/** A theme changes colours alone, so the other themes are asked about those. */
async function clean(page: Page, what: string, themes = THEMES): Promise<void> {
  for (const theme of themes) {
    await inTheme(page, theme);
    const axe = new AxeBuilder({ page });
    const asked = theme === THEMES[0] ? axe.withTags(TAGS) : axe.withRules(["color-contrast"]);
    const { violations } = await asked.analyze();
    const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200))}`);
    expect(found, `${what}, ${theme}`).toEqual([]);
  }
}

async function isNarrow(page: Page): Promise<void> {
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide, "scrolls sideways").toBe(false);
}

/** Pictures to look at, where a folder for them is named. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS;
  if (!folder) return;
  await page.screenshot({ path: `${folder}/${name}-phone.png` });
  await page.setViewportSize({ width: 1280, height: 7_000 });
  for (const theme of THEMES) {
    await inTheme(page, theme);
    await page.screenshot({ path: `${folder}/${name}-${theme}.png` });
  }
}

test("files, differences, commands and skills have forms that everybody can read", async ({
  page,
  context,
}) => {
  test.setTimeout(240_000);
  const keeper = await Keeper.start(withSkill);
  try {
    await keeper.admit(context);
    await page.goto(`${keeper.url}/chat/felix`);
    await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "live");

    // The difference is there before anybody says yes.
    const text = "one\n<img src=x>two\u202E\nthree\n";
    const call = (name: string, given: unknown) => ({ name, arguments: given });
    keeper.model.script(
      new Reply([], [call("files.write", { path: "work/a.md", content: text, create: true })]),
      new Reply(
        [],
        [
          call("files.edit", { path: "work/a.md", edits: [{ old: "three", new: "3" }] }),
          call("files.read", { path: "work/a.md" }),
          call("files.search", { path: "work", pattern: "o", context: 1 }),
          call("files.list", { path: "work" }),
          call("files.move", { from: "work/a.md", to: "work/b.md" }),
          call("files.undo", {}),
          call("shell.run", { command: "echo seen; echo '<b>bad</b>' >&2; exit 3" }),
          call("skills.read", { name: "herons" }),
          call("files.remove", { path: "work/b.md" }),
        ],
      ),
      says("All of it is done."),
    );
    await page.getByRole("textbox", { name: /^Message to/ }).fill("write");
    await page.getByRole("button", { name: "Send" }).click();
    const asked = page.getByRole("alertdialog");
    await expect(asked.locator("ins")).toHaveCount(3);
    await expect(asked.locator("ins").nth(1)).toContainText("<img src=x>two⟦U+202E⟧");
    await expect(asked.getByText("new file")).toBeVisible();
    await clean(page, "an approval with a difference");
    await asked.getByRole("button", { name: /^Approve/ }).click();
    await expect(page.getByTestId("reply")).toHaveText("All of it is done.", { timeout: 30_000 });

    const result = (name: string) => page.getByRole("group", { name: `Result of ${name}`, exact: true });
    for (const card of await page.getByTestId("tool-card").all())
      await card.locator("summary").first().click();
    await expect(result("files.write")).toContainText("Created work/a.md");
    await expect(result("files.edit").locator("ins")).toContainText("3");
    await expect(result("files.edit").locator("del")).toContainText("three");
    await expect(result("files.edit")).toContainText("1 line added, 1 removed");
    await expect(result("files.read")).toContainText("lines 1 to 3 of 3");
    await expect(result("files.search")).toContainText("2 matches in 1 file");
    await expect(result("files.list").getByRole("rowheader")).toHaveText("a.md");
    await expect(result("files.move")).toContainText("Moved work/a.md to work/b.md");
    await expect(result("files.undo").getByRole("row")).toHaveCount(4);
    await expect(result("shell.run")).toContainText("exit status 3");
    await expect(result("shell.run").getByLabel("Output", { exact: true })).toHaveText("seen\n");
    await expect(result("shell.run").getByLabel(/standard error/)).toHaveText("<b>bad</b>\n");
    await expect(result("files.remove")).toContainText("Removed the file work/b.md");
    const skill = result("skills.read");
    await expect(skill.getByText("Stand still.")).toBeHidden();
    await skill.locator("summary").focus();
    await page.keyboard.press("Enter");
    await expect(skill.getByText("Stand still.")).toBeVisible();
    expect(await page.locator("main img, main b").count()).toBe(0);

    await clean(page, "the results");
    await page.setViewportSize({ width: 390, height: 844 });
    await isNarrow(page);
    await clean(page, "the results on a phone", THEMES.slice(0, 1));
    await shoot(page, "files");
  } finally {
    await keeper.end();
  }
});

interface Epochs {
  items: { turns: { tool_calls: unknown[] }[] }[];
}

// What most of these tools give is for one epoch alone and comes to no page; here the keeper's answer is made to hold it.
test("each form can be read by everybody, and loads nothing from elsewhere", async ({
  app,
  keeper,
  page,
}) => {
  test.setTimeout(240_000);
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(keeper.url)) outside.push(request.url());
  });
  keeper.model.script(new Reply([], [{ name: "clock.now", arguments: {} }]), says("Done."));
  await keeper.say("look around", { citizen: "felix" });
  await page.route(/\/epochs\?/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as Epochs;
    for (const turn of body.items
      .flatMap((epoch) => epoch.turns)
      .filter((one) => one.tool_calls.length > 0)) {
      turn.tool_calls = SAMPLES.map(({ tool, result, given }, at) => ({
        call_id: `call_${at}`,
        name: tool,
        arguments: given ?? {},
        effect: "read",
        outcome: "ok",
        ethereal: false,
        duration_ms: 3,
        content: JSON.stringify(result),
      }));
    }
    await route.fulfill({ response, json: body });
  });
  await app.open("/chat/felix");
  const cards = page.getByTestId("tool-card");
  await expect(cards).toHaveCount(SAMPLES.length);
  for (const [at, { shows }] of SAMPLES.entries()) {
    // By key: what is drawn above moves the next card under a pointer.
    await cards.nth(at).locator("summary").first().press("Enter");
    for (const words of shows) await expect(cards.nth(at)).toContainText(words);
  }
  const links = page.getByTestId("tool-card").getByRole("link");
  for (const link of await links.all()) {
    await expect(link).toHaveAttribute("rel", /noopener noreferrer/);
    await expect(link).toHaveAttribute("href", /^https?:/);
  }
  await clean(page, "all forms");
  await page.setViewportSize({ width: 390, height: 844 });
  await isNarrow(page);
  await clean(page, "all forms on a phone", THEMES.slice(0, 1));
  await shoot(page, "forms");
  expect(outside).toEqual([]);
});

// Every screen in every theme, held against WCAG 2.2 AA by axe, at a desk and on small screens; and by keyboard alone.
import AxeBuilder from "@axe-core/playwright";
import type { BrowserContext, Page } from "@playwright/test";
import { expect, Keeper, test } from "./keeper";
import { calls, says } from "./model";

const SCREENS = [
  "/",
  "/chat/felix",
  "/chat/felix?q=heron",
  "/timeline",
  "/timeline?rows=lines",
  "/cortex/felix",
  "/cortex/felix?tab=evolution",
  "/agents",
  "/watchdog",
  "/stdout",
  "/decks",
  "/media",
  "/settings",
];
const THEMES = ["dark", "light", "contrast"];
const PHONE = { width: 390, height: 844 };
/** A phone on its side, a phone with its keyboard up, a phone. */
const SMALL = [{ width: 667, height: 375 }, { width: 390, height: 430 }, PHONE];
const CONFIG = '[tools]\nask = ["clock.*"]\n[limits]\napproval = "30m"\n';

test.use({ config: CONFIG, reducedMotion: "reduce" });

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** A theme changes colours alone, so the other themes are asked about those. */
async function violations(page: Page, isFirst: boolean): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const found = await (isFirst ? axe.withTags(TAGS) : axe.withRules(["color-contrast"])).analyze();
  return found.violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
  );
}

/** Asks axe in each theme; nothing is loaded anew for it. */
async function inAllThemes(page: Page, what: string): Promise<void> {
  for (const theme of THEMES) {
    await page.evaluate((one) => {
      document.documentElement.dataset.theme = one;
    }, theme);
    expect(await violations(page, theme === THEMES[0]), `${what}, ${theme}`).toEqual([]);
  }
}

test.describe("no axe violation in any theme, and nothing wider than the screen", () => {
  // One keeper with one story for all of them: each looks, and changes nothing. axe takes its time where a machine is busy.
  test.describe.configure({ timeout: 120_000 });
  let keeper: Keeper;
  test.beforeAll(async () => {
    keeper = await Keeper.start(CONFIG);
    keeper.model.script(
      calls("memory.remember_fact", { content: "the heron is grey" }),
      says('I will **remember** it.\n\n- a\n- b\n\n`c`\n\n```rust\nlet x = "y"; // 42\n```\n'),
    );
    await keeper.say("remember that the heron is grey", { citizen: "felix" });
    keeper.model.script(calls("clock.now"));
    await keeper.api("POST", "/start-epoch", { message: "what time is it?", interactive: true });
  });
  test.afterAll(() => keeper.end());

  async function open(page: Page, context: BrowserContext, path: string): Promise<void> {
    await keeper.admit(context);
    await page.goto(keeper.url + path);
    await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "live");
    await expect(page.getByText(/^Reading /)).toHaveCount(0);
  }

  for (const path of SCREENS) {
    test(path, async ({ page, context }) => {
      await open(page, context, path);
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      await inAllThemes(page, path);
      for (const size of SMALL) {
        await page.setViewportSize(size);
        const where = `${path} at ${size.width}×${size.height}`;
        await expect(page.getByText(/^Reading /)).toHaveCount(0);
        if (size === PHONE) expect(await violations(page, true), where).toEqual([]);
        const isWide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        );
        expect(isWide, `${where} scrolls sideways`).toBe(false);
      }
    });
  }

  test("a conversation with its cards open, and what the model saw", async ({ page, context }) => {
    await open(page, context, "/chat/felix");
    await expect(page.getByRole("alertdialog")).toBeVisible();
    for (const card of await page.getByTestId("tool-card").all()) await card.locator("summary").click();
    await inAllThemes(page, "open tool cards and an approval");
    await page.getByRole("button", { name: "Context" }).first().click();
    await expect(page.getByText(/tokens, estimated/)).toBeVisible();
    await inAllThemes(page, "the context");
  });

  test("the palette and the conversations of a phone", async ({ page, context }) => {
    await open(page, context, "/chat/felix");
    await page.keyboard.press("Control+k");
    await inAllThemes(page, "the palette");
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Conversations" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await inAllThemes(page, "the conversations");
  });

  test("an exchange and what happened beside, opened", async ({ page, context }) => {
    await open(page, context, "/timeline");
    const rows = page.locator("[data-row]");
    await rows.last().click();
    await rows.filter({ hasText: "remember that" }).click();
    await expect(page.getByRole("list", { name: "What took how long" })).toBeVisible();
    await inAllThemes(page, "open rows");
  });
});

test("all screens are reached and used by keyboard alone", async ({ app, keeper }) => {
  keeper.model.script(says("By keys alone."));
  const page = await app.open("/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  for (const [keys, path] of [
    ["g t", "/timeline"],
    ["g x", "/cortex/felix"],
    ["g a", "/agents"],
    ["g w", "/watchdog"],
    ["g o", "/stdout"],
    ["g d", "/decks"],
    ["g m", "/media"],
    ["g s", "/settings"],
    ["g h", "/"],
    ["g c", "/chat/felix"],
  ] as const) {
    for (const key of keys.split(" ")) await page.keyboard.press(key);
    await expect(page).toHaveURL(new RegExp(`${path}(\\?.*)?$`));
  }
  await expect(page.getByRole("textbox", { name: /^Message to/ })).toBeVisible();
  await page.keyboard.press("i");
  await expect(page.getByRole("textbox", { name: /^Message to/ })).toBeFocused();
  await page.keyboard.type("are you there?");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("reply")).toHaveText("By keys alone.");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("colours: light");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  // The palette gives the focus back to where it was, a moment after it has gone.
  await expect(async () => {
    await page.getByRole("log").focus();
    await page.keyboard.press("v");
    const seen = page.getByRole("dialog", { name: "What the model saw" });
    await expect(seen).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.keyboard.press("Escape");
  // While a dialog goes its keys are nobody's, and the focus comes back a moment after it.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(async () => {
    await page.getByRole("log").focus();
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

// Every screen in every theme, held against WCAG 2.2 AA by axe; and by keyboard alone.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";
import { calls, says } from "./model";

const SCREENS = [
  "/",
  "/chat/felix",
  "/timeline",
  "/cortex/felix",
  "/agents",
  "/watchdog",
  "/stdout",
  "/settings",
];
const THEMES = ["dark", "light", "contrast"];

test.use({ config: '[tools]\nask = ["clock.*"]\n', reducedMotion: "reduce" });

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

test("no screen has an axe violation in any theme", async ({ app, keeper }) => {
  test.setTimeout(120_000);
  keeper.model.script(
    calls("memory.remember_fact", { content: "the heron is grey" }),
    says("I will **remember** it.\n\n- a\n- b\n\n`c`"),
  );
  await keeper.say("remember that the heron is grey", { citizen: "felix" });
  keeper.model.script(calls("clock.now"));
  await keeper.api("POST", "/start-epoch", { message: "what time is it?", interactive: true });
  for (const path of SCREENS) {
    const page = await app.open(path);
    await expect(page.getByText(/^Reading /)).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    await inAllThemes(page, path);
  }
  const page = await app.open("/chat/felix");
  await expect(page.getByRole("alertdialog")).toBeVisible();
  for (const card of await page.getByTestId("tool-card").all()) await card.locator("summary").click();
  await inAllThemes(page, "open tool cards and an approval");
  await page.getByRole("button", { name: "Context" }).first().click();
  await expect(page.getByText(/tokens, estimated/)).toBeVisible();
  await inAllThemes(page, "the context");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await inAllThemes(page, "the palette");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/", "/chat/felix"]) {
    await app.open(path);
    await inAllThemes(page, `${path} on a phone`);
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWide, `${path} scrolls sideways`).toBe(false);
  }
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
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

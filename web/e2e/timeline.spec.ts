// The ledger on the screen: long, filtered, live, by keyboard, on a phone. TIMELINE_EVENTS=100000 makes it as long as that, and
// then also holds the page's scripts to their bound; in a short one on a busy machine that would say nothing.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, type Keeper, test } from "./keeper";
import { calls, says } from "./model";

const EVENTS = Number(process.env.TIMELINE_EVENTS ?? 3_000);
const IS_LONG = process.env.TIMELINE_EVENTS !== undefined;
const NODES_MAX = 1_200;
const SCRIPT_MS_MAX = 50;
/** Entries that fit into one command. */
const ENTRIES = 400;

/** Writes so many lines, cheaply. */
async function write(keeper: Keeper, lines: number, word = "n"): Promise<void> {
  for (let at = 0; at < lines; at += ENTRIES) {
    const entries = Array.from(
      { length: Math.min(ENTRIES, lines - at) },
      (_, n) => `\\stdout ${word}${at + n} ---`,
    );
    await keeper.api("POST", "/stdout", { as: "@ann", command: entries.join(" ") });
  }
}

const options = (page: Page) => page.getByRole("listbox", { name: "Events" }).getByRole("option");

const chosen = (page: Page) =>
  page.getByRole("listbox", { name: "Events" }).getByRole("option", { selected: true });

/** Goes to a part of the list, from 0 to 1, as the bar does. */
async function drag(page: Page, part: number): Promise<number> {
  await page.getByRole("listbox", { name: "Events" }).evaluate((list, to) => {
    list.scrollTop = (list.scrollHeight - list.clientHeight) * to;
  }, part);
  await expect(page.getByTestId("unread")).toHaveCount(0);
  return page.evaluate(() => document.querySelectorAll("*").length);
}

interface Script {
  duration: number;
  forced: number;
  invoker: string;
}

/** Writes down what the client's own scripts take; those that the test itself puts into the page are none of them. */
function watchScripts(page: Page): Promise<void> {
  return page.evaluate(() => {
    interface Told {
      duration: number;
      forcedStyleAndLayoutDuration: number;
      invoker: string;
      sourceURL: string;
    }
    const all: Script[] = [];
    Object.assign(window, { scripts: all });
    new PerformanceObserver((list) => {
      for (const { scripts = [] } of list.getEntries() as unknown as { scripts?: Told[] }[])
        for (const { duration, forcedStyleAndLayoutDuration, invoker, sourceURL } of scripts)
          if (sourceURL.includes("/assets/"))
            all.push({ duration, forced: forcedStyleAndLayoutDuration, invoker: invoker.slice(0, 80) });
    }).observe({ type: "long-animation-frame" });
  });
}

async function clean(page: Page, what: string): Promise<void> {
  const found = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  const told = found.violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160))}`,
  );
  expect(told, what).toEqual([]);
}

test("a long ledger is scrolled to its far past and back", async ({ app, keeper }) => {
  test.setTimeout(60_000 + EVENTS * 3);
  await write(keeper, EVENTS);
  const page = await app.open("/timeline");
  await expect(options(page).last()).toContainText("ann wrote");
  const head = Number(await options(page).last().getAttribute("aria-posinset"));
  expect(head).toBeGreaterThan(EVENTS);
  await watchScripts(page);
  const nodes: number[] = [];
  for (const part of [0.5, 0.02, 0, 0.33, 0.9, 0.1, 0]) nodes.push(await drag(page, part));
  await expect(options(page).first()).toHaveAttribute("aria-posinset", "1");
  await expect(options(page).first()).toContainText("keeper.segment_opened");
  // Row by row as well, through many pages.
  await page.getByRole("listbox", { name: "Events" }).hover();
  for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, 900);
  await expect(page.getByTestId("unread")).toHaveCount(0);
  expect(Number(await options(page).first().getAttribute("aria-posinset"))).toBeGreaterThan(500);
  nodes.push(await drag(page, 1));
  await expect(options(page).last()).toHaveAttribute("aria-posinset", String(head));
  expect(Math.max(...nodes)).toBeLessThan(NODES_MAX);
  const scripts = await page.evaluate(() => (window as unknown as { scripts: Script[] }).scripts);
  const longest = scripts.sort((a, b) => b.duration - a.duration).slice(0, 3);
  test.info().annotations.push({ type: "longest scripts", description: JSON.stringify(longest) });
  if (IS_LONG) expect(longest.filter((script) => script.duration > SCRIPT_MS_MAX)).toEqual([]);

  // What happens is shown where the newest is looked at, and only then.
  await write(keeper, 1, "fresh");
  await expect(options(page).last()).toHaveAttribute("aria-posinset", String(head + 1));
  await page.keyboard.press("p");
  await expect(page.getByRole("button", { name: "Go on" })).toBeVisible();
  await write(keeper, 2, "later");
  await expect(page.getByRole("button", { name: "To the newest, 2 more" })).toBeVisible();
  await expect(options(page).last()).toHaveAttribute("aria-posinset", String(head + 1));
  await page.getByRole("button", { name: /^To the newest/ }).click();
  await expect(options(page).last()).toHaveAttribute("aria-posinset", String(head + 3));

  // A search reads what it needs to and says how far it looked.
  await page.keyboard.press("/");
  await page.keyboard.type(`n${EVENTS - 1200}`);
  await expect(options(page)).toHaveCount(1);
  await expect(page).toHaveURL(/\?q=n\d+/);
  await page.getByLabel("Search in all events").fill("no such word anywhere");
  await expect(page.getByText("Nothing fits")).toBeVisible();
  await page.getByLabel("Search in all events").fill("");
  await expect(options(page).last()).toHaveAttribute("aria-posinset", String(head + 3));
  // What is found further back is put above, and what is seen stays; its beginning is reached all the same.
  await page.getByLabel("Whose life").selectOption("keeper");
  await expect(options(page).first()).toContainText("keeper.segment_opened");
  await page.getByLabel("Whose life").selectOption("");
  if (!IS_LONG) {
    await page.getByLabel("Kinds of events").selectOption("stdout.written");
    await expect(options(page).last()).toContainText("later1");
    await expect
      .poll(async () => {
        await drag(page, 0);
        return options(page).first().textContent();
      })
      .toContain("n0”");
    await expect(page.getByRole("status").filter({ hasText: "fit of" })).toBeVisible();
    await drag(page, 1);
    await expect(options(page).last()).toContainText("later1");
    await page.getByLabel("Kinds of events").selectOption("");
  }
  // A place by its number.
  await page.getByLabel("Go to an event, a tick or a time").fill("#700");
  await page.keyboard.press("Enter");
  await expect(chosen(page)).toHaveAttribute("aria-posinset", "700");
  await expect(page.getByRole("heading", { name: "Event #700" })).toBeVisible();

  // While the keeper is away the page says what it cannot read, and reads it when it is back.
  await app.open("/timeline");
  await expect(options(page).last()).toContainText("later1");
  await keeper.down("SIGKILL");
  await page.getByRole("listbox", { name: "Events" }).evaluate((list) => {
    list.scrollTop = list.scrollHeight * 0.3;
  });
  await expect(page.getByText("The ledger could not be read")).toBeVisible();
  await keeper.up();
  await app.live();
  await expect(page.getByText("The ledger could not be read")).toBeHidden();
  await expect(page.getByTestId("unread")).toHaveCount(0);
});

test("an epoch is told, shown turn by turn, and as it stands in the ledger", async ({ app, keeper }) => {
  test.setTimeout(90_000);
  keeper.model.script(calls("clock.now"), says("It is **late**."));
  await keeper.say("what time is it?", { citizen: "felix" });
  await write(keeper, 5);
  const page = await app.open("/timeline?kind=epoch.*&agent=felix");
  await expect(options(page)).toHaveCount(2);
  await page.getByLabel("Kinds of events").selectOption({ label: "Epochs and turns" });
  await expect(options(page).first()).toContainText("was asked by");
  await expect(options(page)).toHaveCount(7);

  // By keys alone: the newest, one back, open.
  await page.keyboard.press("j");
  await expect(options(page).last()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "The chosen event" });
  await expect(panel).toContainText("turn.completed");
  await expect(panel.getByRole("heading", { name: /said over/ })).toBeVisible();
  await expect(panel).toContainText("It wanted clock.now and it ran");
  await expect(panel.getByText("late", { exact: true }).first()).toBeVisible();
  await clean(page, "story");
  await panel.getByRole("tab", { name: "Turns" }).click();
  await panel.getByTestId("tool-card").locator("summary").click();
  await expect(panel.getByLabel("Result of clock.now")).toBeVisible();
  await clean(page, "turns");
  await panel.getByRole("tab", { name: "Events" }).click();
  const line = panel.getByRole("listitem").getByLabel(/^Event \d+$/);
  await expect(line.filter({ hasText: '"kind": "turn.completed"' }).last()).toBeVisible();
  await clean(page, "events");
  await panel.getByRole("list", { name: "Events of the epoch" }).evaluate((list) => {
    list.parentElement?.scrollTo(0, 0);
  });
  await expect(panel.getByRole("heading", { name: "How it began" })).toBeVisible();
  await expect(line.first()).toContainText('"kind": "stimulus.accepted"');

  // The address leads back to all of it.
  const { pathname, search } = new URL(page.url());
  expect(search).toContain("view=lines");
  await app.open(pathname + search);
  await expect(line.filter({ hasText: '"kind": "turn.completed"' }).first()).toBeVisible();
  await expect(chosen(page)).toContainText("turn.completed");
  await page.keyboard.press("k");
  await expect(panel).toContainText("thinks (turn 2)");
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();

  await page.setViewportSize({ width: 390, height: 844 });
  await app.open("/timeline?axis=tick");
  await expect(options(page).last()).toContainText(/t \d+/);
  await clean(page, "phone");
  await options(page).last().click();
  await expect(page.getByRole("dialog", { name: "The chosen event" })).toBeVisible();
  await clean(page, "an event on a phone");
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide).toBe(false);
});

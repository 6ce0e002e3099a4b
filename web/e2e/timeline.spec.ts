// The ledger on the screen: long, filtered, live, by keyboard, on a phone. TIMELINE_EVENTS=100000 makes it as long as that.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, type Keeper, test } from "./keeper";
import { calls, says } from "./model";
import { computeIn, type Task, tasksOf } from "./timeline-scripts";

const EVENTS = Number(process.env.TIMELINE_EVENTS ?? 3_000);
const IS_LONG = process.env.TIMELINE_EVENTS !== undefined;
const NODES_MAX = 1_200;
/** Held where somebody measures, with TIMELINE_EVENTS, on a machine of their own: a build's processor is shared and gives any time. */
const SCRIPT_MS_MAX = 50;
/** Pages that are read for all that a test looks at. */
const READS_MAX = 120;
/** Entries that fit into one command. */
const ENTRIES = 400;

// Nothing happens but what a test does: lines of the keeper itself would move the end that it looks at.
test.use({
  config: '[irc]\nlisten = "off"\n[watchdog]\nenabled = false\n[supervisor]\ncheckpoint_interval = "1h"\n',
});

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

async function clean(page: Page, what: string): Promise<void> {
  const found = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  const told = found.violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160))}`,
  );
  expect(told, what).toEqual([]);
}

/** What is read of the ledger, by route; the stream that goes on for ever is none of it. */
function watchReads(page: Page): string[] {
  const reads: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === "/ledger") reads.push(search);
  });
  return reads;
}

/** Waits until what the wheel began has come to its end: a place that is set before that would be left again. */
async function atRest(page: Page): Promise<void> {
  const top = () => page.getByRole("listbox", { name: "Events" }).evaluate((list) => list.scrollTop);
  await expect
    .poll(async () => {
      const before = await top();
      await page.waitForTimeout(200);
      return (await top()) - before;
    })
    .toBe(0);
}

/** Says how long scripts took, and holds the bound where that is measured. */
function tell(tasks: readonly Task[]): void {
  test.info().annotations.push({ type: "tasks with the most script", description: JSON.stringify(tasks) });
  process.stdout.write(
    `most script in a task: ${tasks.map((one) => one.script_ms.toFixed(1)).join(", ")} ms\n`,
  );
  if (IS_LONG) expect(tasks.filter((task) => task.script_ms > SCRIPT_MS_MAX)).toEqual([]);
}

test("a long ledger is scrolled to its far past and back", async ({ app, browser, keeper }) => {
  test.setTimeout(60_000 + EVENTS * 3);
  await write(keeper, EVENTS);
  const page = await app.open("/timeline?rows=lines");
  const reads = watchReads(page);
  await expect(options(page).last()).toContainText("ann wrote");
  const head = Number(await options(page).last().getAttribute("aria-posinset"));
  expect(head).toBeGreaterThan(EVENTS);
  const nodes: number[] = [];
  const tasks = await tasksOf(browser, page, async () => {
    for (const part of [0.5, 0.02, 0, 0.33, 0.9, 0.1, 0]) nodes.push(await drag(page, part));
    await expect(options(page).first()).toHaveAttribute("aria-posinset", "1");
    await expect(options(page).first()).toContainText("keeper.segment_opened");
    // Row by row as well, through many pages.
    await page.getByRole("listbox", { name: "Events" }).hover();
    for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, 900);
    await atRest(page);
    await expect(page.getByTestId("unread")).toHaveCount(0);
    expect(Number(await options(page).first().getAttribute("aria-posinset"))).toBeGreaterThan(500);
    nodes.push(await drag(page, 1));
    await expect(options(page).last()).toHaveAttribute("aria-posinset", String(head));
  });
  expect(Math.max(...nodes)).toBeLessThan(NODES_MAX);
  // Each place was read alone, whatever the ledger's length.
  expect(reads.length).toBeLessThan(READS_MAX);
  tell(tasks);

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
  // A place by its number.
  await page.getByLabel("Go to an event, a tick or a time").fill("#700");
  await page.keyboard.press("Enter");
  await expect(chosen(page)).toHaveAttribute("aria-posinset", "700");
  await expect(page.getByRole("heading", { name: "Event #700" })).toBeVisible();

  // While the keeper is away the page says what it cannot read, and reads it when it is back.
  await app.open("/timeline?rows=lines");
  await expect(options(page).last()).toContainText("later1");
  await keeper.down("SIGKILL");
  await page.getByRole("listbox", { name: "Events" }).evaluate((list) => {
    list.scrollTop = list.scrollHeight * 0.3;
  });
  await expect(page.getByText("The ledger could not be loaded")).toBeVisible();
  await keeper.up();
  await app.live();
  await expect(page.getByText("The ledger could not be loaded")).toBeHidden();
  await expect(page.getByTestId("unread")).toHaveCount(0);
});

test("the keeper finds by text, kind and life, at any place", async ({ app, browser, keeper }) => {
  test.setTimeout(120_000 + EVENTS * 3);
  await write(keeper, EVENTS);
  const page = await app.open("/timeline?rows=lines");
  const reads = watchReads(page);
  await expect(options(page).last()).toContainText("ann wrote");
  const head = Number(await options(page).last().getAttribute("aria-posinset"));
  const tasks = await tasksOf(browser, page, async () => {
    await page.keyboard.press("/");
    await page.keyboard.type(`N${EVENTS - 1200}`);
    await expect(options(page)).toHaveCount(1);
    await expect(options(page)).toContainText(`“n${EVENTS - 1200}”`);
    await expect(page).toHaveURL(/[?&]q=N\d+/);
    await expect(page.getByRole("status").filter({ hasText: `1 fits of` })).toBeVisible();
    await page.getByLabel("Search in all events").fill("no such word anywhere");
    await expect(page.getByText("No match")).toBeVisible();
    await page.getByLabel("Search in all events").fill("");
    await expect(options(page).last()).toHaveAttribute("aria-posinset", String(head));
    await page.getByLabel("Agent").selectOption("keeper");
    await expect(options(page).first()).toContainText("keeper.segment_opened");
    await page.getByLabel("Agent").selectOption("");
    // The middle of what fits is gone to, not scrolled to.
    await page.getByLabel("Kinds of events").selectOption("stdout.written");
    await expect(options(page).last()).toContainText(`“n${EVENTS - 1}”`);
    const middle = head - EVENTS + Math.floor(EVENTS / 2);
    await page.getByLabel("Go to an event, a tick or a time").fill(`#${middle}`);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: `Event #${middle}` })).toBeVisible();
    await expect(chosen(page)).toBeVisible();
    await expect(page.getByTestId("unread")).toHaveCount(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^To the newest/ }).click();
    await expect(options(page).last()).toContainText(`“n${EVENTS - 1}”`);
  });
  expect(reads.length).toBeLessThan(READS_MAX);
  tell(tasks);
  if (!IS_LONG) {
    // What is found further back is put above, and what is seen stays; its beginning is reached all the same.
    await expect
      .poll(
        async () => {
          await drag(page, 0);
          return options(page).first().textContent();
        },
        // Piece by piece, as fast as the machine is.
        { intervals: [50], timeout: 60_000 },
      )
      .toContain("“n0”");
    await expect(page.getByRole("status").filter({ hasText: "fit of" })).toBeVisible();
    await drag(page, 1);
    await expect(options(page).last()).toContainText(`“n${EVENTS - 1}”`);
  }
  // What happens is put behind what fits.
  await write(keeper, 1, "fresh");
  await expect(options(page).last()).toContainText("fresh0");
});

test("the measure of scripts sees one that computes for too long", async ({ app, browser }) => {
  const page = await app.open("/timeline?rows=lines");
  const tasks = await tasksOf(browser, page, async () => {
    await computeIn(page);
  });
  expect(tasks[0]?.script_ms).toBeGreaterThan(SCRIPT_MS_MAX);
  expect(tasks[0]?.what).toContain("x.js");
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

// How an agent changes: the list follows what happens, a change shows what was measured of it, and people answer it. What a trial
// measures is given by the test: a real one takes a hundred requests.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";

const ID = "0193e0f0-0000-7000-8000-000000000001";
const SCRIPT = "<img src=x onerror='window.hacked = true'>";
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

test.use({ config: "[evolution]\nenabled = true\n", reducedMotion: "reduce" });

const leg = (wall_us: number, more = {}) => ({
  error: null,
  repeats: null,
  wall_us,
  cpu_us: wall_us,
  memory_bytes: 65_536,
  tokens: null,
  cost_microusd: null,
  calls: [],
  ...more,
});

const pairs = Array.from({ length: 40 }, (_, at) => ({
  seq: 10 + at,
  stage_percent: null,
  request: `0193e0f0-0000-7000-8000-${String(at).padStart(12, "0")}`,
  candidate_first: at % 2 === 0,
  main: leg(900 + 13 * at),
  candidate: leg(700 + 11 * at, at === 5 ? { error: `it panicked ${SCRIPT}` } : {}),
  agrees: at !== 3,
  divergence: at === 3 ? `passage 7 is left out ${SCRIPT}` : null,
}));

const item = {
  id: ID,
  citizen: "felix",
  target: "memory_system",
  state: "awaits_approval",
  reason: `rank by age ${SCRIPT}`,
  by: "@ann",
  at: "2026-11-30T08:00:00Z",
  moved_at: "2026-11-30T08:10:00Z",
  predicted: { time: -0.2 },
  measured: { time: -0.18, time_low: -0.22, time_high: -0.13, time_p: 0.0031 },
  pairs: 40,
  requests: 40,
  attempt: 1,
  verdict: "marginal",
  why: "18 % quicker, 40 pairs",
  stage_percent: null,
  stage_pairs: null,
  in_force: false,
  previous: null,
  code_sha256: null,
  notes: [],
  events: [10],
};

const whole = {
  ...item,
  code: "(define (rank question passages now)\n  (sort-by-age passages now))\n",
  code_before: "(define (rank question passages now)\n  (map car passages))\n",
  change: {},
  trial: null,
  story: [
    { seq: 10, at: item.at, by: "@ann", kind: "evolution.proposed", text: `proposed: ${item.reason}` },
    { seq: 60, at: item.moved_at, by: "@keeper", kind: "evolution.decided", text: "marginal: 18 % quicker" },
  ],
  compared: pairs,
};

/** Gives a change in the place of the keeper's, and notes how it is answered. */
async function showing(page: Page, more: object = {}): Promise<string[]> {
  const answered: string[] = [];
  await page.route(/\/evolutions(\/|\?)/, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (route.request().method() === "POST") {
      answered.push(`${pathname} ${route.request().postData()}`);
      return route.fulfill({ json: { ...item, state: "accepted" } });
    }
    const json =
      pathname === "/evolutions" ? { items: [{ ...item, ...more }], next: null } : { ...whole, ...more };
    return route.fulfill({ json });
  });
  return answered;
}

async function isAccessible(page: Page, what: string): Promise<void> {
  for (const theme of ["dark", "light", "contrast"]) {
    await page.evaluate((one) => {
      document.documentElement.dataset.theme = one;
    }, theme);
    const axe = new AxeBuilder({ page });
    const found = await (theme === "dark" ? axe.withTags(TAGS) : axe.withRules(["color-contrast"])).analyze();
    const violations = found.violations.map(
      (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
    );
    expect(violations, `${what}, ${theme}`).toEqual([]);
  }
}

test("a proposal appears while somebody looks, with its code and its story", async ({ app, keeper }) => {
  const page = await app.open("/cortex/felix");
  await page.getByRole("tab", { name: "Identity" }).focus();
  await page.keyboard.press("6");
  await expect(page).toHaveURL(/tab=evolution/);
  await expect(page.getByText("No changes yet")).toBeVisible();
  const code = "(define (rank question passages now) (map car passages))";
  const body = { citizen: "felix", target: "memory", code, reason: "rank by age" };
  await keeper.api("POST", "/evolutions", body);
  const row = page.getByRole("list", { name: "Changes" }).getByRole("button", { name: /rank by age/ });
  await row.click();
  await expect(page).toHaveURL(/change=/);
  await expect(page.getByRole("heading", { name: "A change of memory" })).toBeVisible();
  await expect(page.getByText(code)).toBeVisible();
  await expect(page.getByRole("list", { name: "What happened" })).toContainText("proposed: rank by age");
});

test("a change shows what was measured, and is approved with a reason", async ({ app, page }) => {
  const answered = await showing(page);
  await app.open(`/cortex/felix?tab=evolution&change=${ID}`);
  const main = page.locator("main");
  await expect(page.getByRole("tab", { name: /Evolution/ })).toContainText("waits for you");
  await expect(main).toContainText("18 % quicker, 40 pairs");
  const row = page.getByRole("row", { name: /^time/ });
  await expect(row).toContainText("−20 %");
  await expect(row).toContainText("−18 %");
  await expect(row).toContainText("−22 % to −13 %");
  await expect(row).toContainText("0.0031");
  await expect(page.getByRole("img", { name: /^Time: median .* before, .* with the change/ })).toBeVisible();
  const differing = page.getByRole("list", { name: "Pairs that differ" }).locator(":scope > li");
  await expect(differing).toHaveCount(2);
  await expect(differing.first()).toContainText(`passage 7 is left out ${SCRIPT}`);
  await expect(differing.last()).toContainText(`failed: it panicked ${SCRIPT}`);
  const diff = page.getByRole("list", { name: "What the code differs in" });
  await expect(diff.locator('[data-mark="gone"]')).toContainText("(map car passages))");
  await expect(diff.locator('[data-mark="come"]')).toContainText("(sort-by-age passages now))");
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  expect(await page.locator("main img").count()).toBe(0);
  await isAccessible(page, "a change");
  await page.getByLabel("Reason, kept in the ledger").fill("try it");
  await page.getByRole("button", { name: "Approve" }).click();
  await expect(page.getByText("The change is put in force, stage by stage", { exact: true })).toBeVisible();
  expect(answered).toEqual([`/evolutions/${ID}/approve {"reason":"try it"}`]);
});

test("a no can be called off, and a change in force is rolled back at once", async ({ app, page }) => {
  const answered = await showing(page);
  await app.open(`/cortex/felix?tab=evolution&change=${ID}`);
  await page.getByRole("button", { name: "Reject" }).click();
  await page
    .locator("li")
    .filter({ hasText: "Rejecting the change" })
    .getByRole("button", { name: "Undo" })
    .click();
  await expect(page.getByRole("button", { name: "Reject" })).toBeEnabled();
  expect(answered).toEqual([]);

  const watched = await showing(page, {
    state: "watching",
    stage_percent: 50,
    stage_pairs: 7,
    in_force: true,
  });
  await app.open(`/cortex/felix?tab=evolution&change=${ID}`);
  const stages = page.getByRole("list", { name: "Share of the requests" });
  await expect(stages.getByRole("listitem")).toHaveText([
    "10 %: passed",
    "50 %: 7 pairs so far",
    "100 %: to come",
  ]);
  await page.getByRole("button", { name: "Roll back" }).click();
  await expect(page.getByText("The code from before is in force again", { exact: true })).toBeVisible();
  expect(watched).toEqual([`/evolutions/${ID}/rollback {"reason":null}`]);
});

test("on a phone a change fits the screen, and leads back to the list", async ({ app, page }) => {
  await showing(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await app.open(`/cortex/felix?tab=evolution&change=${ID}`);
  await expect(page.getByRole("heading", { name: "A change of memory" })).toBeVisible();
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide).toBe(false);
  await isAccessible(page, "a change on a phone");
  await page.getByRole("button", { name: "All changes" }).click();
  await expect(page.getByRole("list", { name: "Changes" })).toBeVisible();
});

test("under Attention a change shows what its answer rests on", async ({ app, page }) => {
  await showing(page);
  await page.route(/\/attention(\?|$)/, (route) => {
    const show = { label: "Show", method: "GET", path: `/evolutions/${ID}`, body: null };
    const approve = { label: "Approve", method: "POST", path: `/evolutions/${ID}/approve`, body: {} };
    const summary = "felix: a change of memory waits for a yes: 18 % quicker, 40 pairs";
    const matter = { id: `evolution:${ID}`, kind: "evolution", citizen: "felix", since: item.moved_at };
    const items = [{ ...matter, summary, acknowledged: null, actions: [approve, show] }];
    return route.fulfill({ json: { items, next: null } });
  });
  await app.open("/");
  await expect(page.getByText("a change of memory waits for a yes")).toBeVisible();
  const measured = page.getByRole("list", { name: "Measured" });
  await expect(measured).toContainText("time −18 % (expected −20 %)");
  await expect(measured).toContainText("2 of 40 pairs differ");
  await expect(page.getByRole("region", { name: "What would change" })).toContainText("sort-by-age");
  await isAccessible(page, "a change under Attention");
  await page.getByRole("button", { name: /^Show: felix/ }).click();
  await expect(page).toHaveURL(new RegExp(`/cortex/felix\\?tab=evolution&change=${ID}`));
});

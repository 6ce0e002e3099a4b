// A search for a better order and the report of a trial, of a real keeper whose agent has a past: started, watched, stopped, read. Only
// the models are made up.
import AxeBuilder from "@axe-core/playwright";
import type { BrowserContext, Page } from "@playwright/test";
import { begun, compared, JUDGE, lived } from "./evolution-life";
import { type Keeper, expect as plain, test } from "./keeper";

/** A search and a trial are work, and a machine may be busy. */
const expect = plain.configure({ timeout: 60_000 });

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** A phone, a phone on its side, a phone with its keyboard up. */
const SMALL = [
  { width: 390, height: 844 },
  { width: 667, height: 375 },
  { width: 390, height: 430 },
];

test.use({ config: "[evolution]\nenabled = true\n", reducedMotion: "reduce" });

async function violations(page: Page, isWhole: boolean): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const found = await (isWhole ? axe.withTags(TAGS) : axe.withRules(["color-contrast"])).analyze();
  return found.violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
  );
}

/** No violation in any theme or on a phone, and nothing wider than a small screen. */
async function isFit(page: Page, what: string): Promise<void> {
  for (const theme of ["light", "contrast", "dark"]) {
    await page.evaluate((one) => {
      document.documentElement.dataset.theme = one;
    }, theme);
    expect(await violations(page, theme === "dark"), `${what}, ${theme}`).toEqual([]);
  }
  const before = page.viewportSize();
  for (const size of SMALL) {
    await page.setViewportSize(size);
    const where = `${what} at ${size.width}×${size.height}`;
    if (size === SMALL[0]) expect(await violations(page, true), where).toEqual([]);
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWide, `${where} scrolls sideways`).toBe(false);
  }
  if (before) await page.setViewportSize(before);
}

test("without a past a search says what it lacks, and its form says what it takes", async ({ app, page }) => {
  await app.open("/cortex/felix?tab=evolution");
  await page.getByRole("button", { name: "Search for a better order of memories" }).click();
  await expect(page).toHaveURL(/searches=true/);
  await expect(page.getByText("No search was made yet", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Start a search", exact: true }).click();
  const form = page.getByRole("dialog", { name: "Search for a better order of memories" });
  const costs = form.getByRole("region", { name: "What it takes" });
  await expect(costs).toContainText("up to 14.4 k candidates");
  await expect(costs).toContainText("no model is asked");
  await expect(costs).toContainText("after two hours");
  await form.getByLabel("What it looks for").selectOption("weights");
  await form.getByLabel("Candidates at a time").fill("12");
  await expect(costs).toContainText("up to 720 candidates");
  await isFit(page, "the form of a search");
  // What the keeper does not take is not sent.
  await form.getByLabel("Generations of each part").fill("0");
  await page.keyboard.press("Enter");
  await expect(form.getByRole("alert")).toHaveCount(0);
  await form.getByLabel("Generations of each part").fill("60");
  await page.keyboard.press("Enter");
  await expect(form.getByRole("alert")).toContainText("a search needs 40");
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
});

test("where changes are off, a search is refused with the way to switch them on", async ({
  page,
  context,
}) => {
  const { Keeper } = await import("./keeper");
  const keeper = await Keeper.start();
  await keeper.admit(context);
  await page.goto(`${keeper.url}/cortex/felix?tab=evolution&searches=1`);
  await page.getByRole("button", { name: "Start a search", exact: true }).last().click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText(
    "abide config set evolution.enabled true",
  );
  await keeper.end();
});

async function open(keeper: Keeper, page: Page, context: BrowserContext, path: string): Promise<void> {
  await keeper.admit(context);
  await page.goto(keeper.url + path);
  await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "live");
  await expect(page.getByText(/^Reading /)).toHaveCount(0);
}

test.describe("an agent with a past", () => {
  test.describe.configure({ timeout: 240_000, mode: "serial" });
  let keeper: Keeper;
  test.beforeAll(async () => {
    test.setTimeout(240_000);
    keeper = await lived();
  });
  test.afterAll(() => keeper.end());

  async function begin(page: Page, generations: string, population: string): Promise<void> {
    await page
      .getByRole("button", { name: /^(Start a search|Search again)$/ })
      .last()
      .click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Generations of each part").fill(generations);
    await form.getByLabel("Candidates at a time").fill(population);
    await form.getByLabel(/^Seed/).fill("7");
    await page.keyboard.press("Enter");
    await expect(form).toHaveCount(0);
  }

  test("a search is watched and stopped, and the next one is proposed with its evidence", async ({
    page,
    context,
  }) => {
    await open(keeper, page, context, "/cortex/felix?tab=evolution&searches=1");
    await begin(page, "500", "1000");
    await expect(page.getByRole("progressbar", { name: "Generations" })).toHaveAttribute(
      "aria-valuemax",
      "1000",
    );
    const budget = page.locator("dl[aria-label='Its budget']");
    await expect(budget).toContainText(/Held out\d+ questions, the newest/);
    await expect(page.getByText(/The best so far scores \d\.\d{3} .* today's order 0\.\d{3}/)).toBeVisible();
    await expect(page.getByRole("progressbar")).toHaveAttribute(
      "aria-valuetext",
      /generation [1-9]\d* of 1000/,
    );
    await isFit(page, "a search that runs");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    const sure = page.getByRole("dialog", { name: "Stop the search?" });
    await expect(sure).toContainText("nothing is proposed");
    await sure.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("progressbar")).toBeVisible();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await sure.getByRole("button", { name: "Stop it" }).click();
    await expect(page.getByText("It was stopped. What it had found was dropped")).toBeVisible();
    expect(((await keeper.api("GET", "/evolutions")) as { items: unknown[] }).items).toEqual([]);

    await begin(page, "10", "24");
    await expect(page.getByText("It found a better order on the questions held out")).toBeVisible({
      timeout: 90_000,
    });
    const orders = page.getByRole("list", { name: "Orders" }).locator(":scope > li");
    await expect(orders).toHaveCount(3);
    await expect(orders.first()).toContainText("Today's order");
    const winner = orders.filter({ hasText: "proposed" });
    await expect(winner).toContainText(/more than today; chance alone gives as much in/);
    await winner.getByText("Its expression").click();
    await expect(winner.getByRole("group", { name: /in Scheme$/ })).toContainText("(feature p ");
    await expect(budget).toContainText("20 of 20");
    await expect(page.locator("dl[aria-label='Its budget'] > div").filter({ hasText: "Seed" })).toContainText(
      "7",
    );
    await isFit(page, "what a search found");
    await page.getByRole("link", { name: "See the proposed change" }).click();
    await expect(page.getByRole("heading", { name: "A change of memory" })).toBeVisible();
    await page.getByRole("link", { name: "The search that found it" }).click();
    await expect(page.getByRole("heading", { name: "What it found" })).toBeVisible();
  });

  test("the report of a change of memory tells its figures, and that a person decides", async ({
    page,
    context,
  }) => {
    const changes = (await keeper.api("GET", "/evolutions")) as { items: { id: string }[] };
    const id = changes.items[0]?.id ?? "";
    await open(keeper, page, context, `/cortex/felix?tab=evolution&change=${id}`);
    await page.getByRole("button", { name: "Report", exact: true }).click();
    await expect(page).toHaveURL(/report=true/);
    await expect(page.getByText(/^Too few pairs to decide|^The change is /)).toBeVisible({ timeout: 60_000 });
    const figures = page.getByRole("region", { name: "Both in figures" });
    await expect(figures.getByRole("row", { name: /^Time/ })).toContainText(/%\sto\s.*%p\s/);
    await expect(figures.getByRole("row", { name: /^Memory/ })).toBeVisible();
    await expect(page.getByText("What is in force and the change", { exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { name: "A judge's advice" })).toHaveCount(0);
    await isFit(page, "the report of a change of memory");
    await page.getByRole("button", { name: "Overview" }).click();
    await expect(page.getByRole("heading", { name: "What happened" })).toBeVisible();
  });
});

test.describe("an agent whose model is compared with another", () => {
  test.describe.configure({ timeout: 300_000, mode: "serial" });
  let keeper: Keeper;
  let id: string;
  test.beforeAll(async () => {
    test.setTimeout(300_000);
    keeper = await begun();
    id = await compared(keeper);
  });
  test.afterAll(() => keeper.end());

  test("the report of another model: verdict, both sides, chance, the judge's advice, the answers", async ({
    page,
    context,
  }) => {
    await open(keeper, page, context, `/cortex/felix?tab=evolution&change=${id}&report=1`);
    const main = page.locator("main");
    await expect(main).toContainText("Too little was measured for a verdict. It was only compared");
    await expect(page.getByRole("list", { name: "Why" })).toContainText("24 of at least 30 pairs");
    await expect(main).toContainText(/pairs find a gain of 15 % nine times in ten.* Here 24 were measured/);
    const figures = page.getByRole("region", { name: "Both in figures" });
    for (const row of [/^Time/, /^Tokens/, /^Cost/])
      await expect(figures.getByRole("row", { name: row }).first()).toContainText("%");
    await expect(figures.getByRole("row", { name: /^Failed requests/ })).toContainText("0");
    await expect(main).toContainText("What is in force, asked twice, answers like itself10 of 10");

    const judge = page.getByRole("list", { name: "What the judge preferred" });
    await expect(judge).toContainText("The change is better: 6");
    await expect(judge).toContainText("What was before is better: 9");
    await expect(judge).toContainText("Neither: 9");
    await expect(main).toContainText("In 15 of 24 pairs it preferred the same reply in both orders");
    await expect(main).toContainText("a model's opinion and no evidence");
    await expect(main).toContainText(JUDGE);

    const answers = page.getByRole("list", { name: "Answers side by side" }).locator(":scope > li");
    await expect(page.getByRole("button", { name: /^Differ/, pressed: true })).toBeVisible();
    const declines = answers.filter({ hasText: "It declines" }).first();
    await expect(declines).toContainText("judge prefers what was before");
    await declines.locator("summary").focus();
    await page.keyboard.press("Enter");
    await expect(declines).toContainText("it reads 4 cm too high");
    await expect(declines).toContainText("I can't say whether a gauge is to be trusted.");
    await expect(declines).toContainText("asked once more, it answered alike");
    await isFit(page, "the report of another model");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await figures.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Judge prefers one (15)" }).click();
    await expect(answers).toHaveCount(15);
    await page.getByRole("button", { name: "All (24)" }).click();
    await expect(answers.filter({ hasText: "Both answer alike." }).first()).toBeVisible();
    await expect(main).toContainText(`abide evolve report ${id} --markdown`);
    await declines.getByRole("link", { name: "The request in its conversation" }).click();
    await expect(page).toHaveURL(/\/chat\/felix\?epoch=/);
  });

  test("a report that cannot be read says so and is asked for again", async ({ page, context }) => {
    let isBroken = true;
    await page.route(/\/report$/, (route) =>
      isBroken
        ? route.fulfill({ status: 500, json: { error: { code: "internal", message: "it broke" } } })
        : route.continue(),
    );
    await open(keeper, page, context, `/cortex/felix?tab=evolution&change=${id}&report=1`);
    const alert = page.getByRole("alert").filter({ hasText: "The report could not be loaded." });
    await expect(alert).toBeVisible({ timeout: 30_000 });
    isBroken = false;
    await alert.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "Verdict" })).toBeVisible();
  });
});

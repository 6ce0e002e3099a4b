// The Cortex: who an agent is, what it knows, how that hangs together, what it dreamt, how it sleeps.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";
import { calls, held, says } from "./model";

const SCRIPT = "<script>window.hacked = true</script><img src=x onerror='window.hacked = true'>";
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

test.use({ reducedMotion: "reduce" });

async function isUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
}

const THEMES = ["dark", "light", "contrast"];

/** Nothing for axe to say, in each theme. */
async function isAccessible(page: Page, what: string, themes = THEMES): Promise<void> {
  for (const theme of themes) {
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

/** Presses Undo in the notice with these words: others may be there still, or not yet. */
async function undo(page: Page, words: RegExp): Promise<void> {
  await page.locator("li").filter({ hasText: words }).getByRole("button", { name: "Undo" }).click();
}

async function isNarrow(page: Page, what: string): Promise<void> {
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide, `${what} scrolls sideways`).toBe(false);
}

test("an identity is edited, compared and restored, and what is hostile in it is text", async ({
  app,
  keeper,
}) => {
  const before = (await keeper.api("GET", "/identity?citizen=felix")) as { content: string; version: number };
  const page = await app.open("/cortex/felix");
  await page.getByRole("tab", { name: "Identity" }).focus();
  await page.keyboard.press("e");
  const box = page.getByLabel("The identity, as Markdown");
  await expect(box).toBeFocused();
  // An accident is refused, and may be meant.
  await box.fill("short");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("alert")).toContainText("It was not saved.");
  await expect(page.getByRole("button", { name: "Save it all the same" })).toBeVisible();
  await box.fill(`${before.content}\n\n## Herons\n\nI watch **herons**.\u202e\n\n${SCRIPT}\n`);
  const preview = page.getByTestId("preview");
  await expect(preview.locator("strong").filter({ hasText: "herons" })).toBeVisible();
  await expect(preview).toContainText("<script>window.hacked = true</script>");
  await page.getByRole("button", { name: "Changes" }).click();
  const changes = page.getByRole("list", { name: "What would change" });
  await expect(changes.getByText("added: ").first()).toBeAttached();
  await expect(changes).toContainText("I watch **herons**.⟦U+202E⟧");
  // What is half written outlives a look elsewhere.
  await page.getByRole("tab", { name: "Dreams" }).click();
  await page.getByRole("tab", { name: "Identity" }).click();
  await expect(box).toHaveValue(/Herons/);
  await isAccessible(page, "the editor");
  await page.getByRole("button", { name: "Save as version" }).click();
  const document = page.getByTestId("identity");
  await expect(document).toContainText("I watch herons");
  await expect(document).toContainText("<script>window.hacked = true</script>");
  await isUnharmed(page);
  const versions = page.getByRole("list", { name: "Versions of the identity" }).getByRole("listitem");
  await expect(versions).toHaveCount(2);
  await expect(page.getByRole("list", { name: "From version 1 to version 2" })).toContainText("## Herons");
  await isAccessible(page, "the identity");
  await page.getByRole("button", { name: "Read version 1" }).click();
  await expect(page).toHaveURL(/version=1/);
  await expect(document).not.toContainText("herons");
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await expect(versions).toHaveCount(3);
  await undo(page, /The text of version 1 is in force again/);
  await expect(versions).toHaveCount(4);
  const after = (await keeper.api("GET", "/identity?citizen=felix")) as { content: string; version: number };
  expect(after.version).toBe(4);
  expect(after.content).toContain("herons");
});

test("a fact shows where it comes from, is called off and forgotten, and stays in the past", async ({
  app,
  keeper,
}) => {
  keeper.model.script(
    calls("memory.remember_fact", { content: `the heron is grey ${SCRIPT}`, tags: ["birds"] }),
    says("I will remember it."),
  );
  await keeper.say("remember that the heron is grey", { citizen: "felix", sender: "anna" });
  const page = await app.open("/cortex/felix?tab=knowledge");
  const fact = page.getByTestId("fact");
  await expect(fact).toHaveCount(1);
  await expect(fact).toContainText(`the heron is grey ${SCRIPT}`);
  await isUnharmed(page);
  await fact.getByRole("button", { name: "source" }).click();
  await expect(page.getByTestId("source")).toContainText("remember that the heron is grey");
  await expect(page.getByTestId("source").getByRole("link", { name: "the exchange" })).toHaveAttribute(
    "href",
    /\/chat\/felix\?epoch=/,
  );
  await isAccessible(page, "knowledge");
  await page.getByRole("button", { name: "Add a fact" }).click();
  await page.getByLabel("One statement").fill("the office is in Nantes");
  await page.getByLabel("Tags").fill("place, place,  work ");
  await page.getByRole("button", { name: "Remember" }).click();
  await expect(fact).toHaveCount(2);
  await expect(fact.first()).toContainText("from people");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("/");
  await page.keyboard.type("nantes");
  await expect(page).toHaveURL(/q=nantes/);
  await expect(fact).toHaveCount(1);
  await page.getByRole("searchbox").fill("");
  await page.getByRole("button", { name: "Facts with the tag birds" }).or(page.getByText("#birds")).click();
  await expect(page).toHaveURL(/tag=birds/);
  await expect(fact).toHaveCount(1);
  // Called off.
  await page.getByRole("button", { name: /^Forget: “?"?the heron/ }).click();
  await undo(page, /^Forgetting/);
  await expect(page.getByRole("button", { name: /^Forget:/ })).toBeEnabled();
  expect(((await keeper.api("GET", "/knowledge?citizen=felix")) as { items: [] }).items).toHaveLength(2);
  // And done: dismissed is agreed to.
  await page.getByRole("button", { name: /^Forget:/ }).click();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Forgetting" })
    .getByRole("button", { name: "Dismiss" })
    .click();
  await expect(page.getByText("No match")).toBeVisible();
  await page.getByLabel("Include the past").check();
  await expect(fact).toContainText("held from");
  await expect(page).toHaveURL(/past=/);
});

test("nodes are recorded, looked at with their neighbours, and unlinked", async ({ app }) => {
  const page = await app.open("/cortex/felix?tab=graph");
  await expect(page.getByText(/The graph is empty|Choose a node/)).toBeVisible();
  await page.getByRole("button", { name: "Record" }).click();
  await page.getByLabel("JSON Lines").fill('{"node_id":"x","type":"Nonsense"}');
  const form = page.getByRole("dialog");
  await form.getByRole("button", { name: "Record" }).click();
  await expect(form.getByRole("alert")).toContainText("Nothing was recorded.");
  await page.getByLabel("JSON Lines").fill(
    [
      { node_id: "mast.rs", type: "Code_Reference", file_path: "src/mast.rs" },
      { node_id: "race", type: "Technical_Context", description: `two ticks ${SCRIPT}` },
      { from: "race", edge: "REFERENCES_CODE", to: "mast.rs" },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );
  await form.getByRole("button", { name: "Record" }).click();
  await page.getByRole("list", { name: "Nodes" }).getByRole("button", { name: /^race/ }).click();
  await expect(page).toHaveURL(/node=race/);
  await expect(page.getByText(`two ticks ${SCRIPT}`).last()).toBeVisible();
  await isUnharmed(page);
  await expect(page.getByRole("img", { name: "race among 1 neighbours" })).toBeVisible();
  await isAccessible(page, "the graph");
  const unlink = page.getByRole("button", { name: /^Close the edge references code/ });
  await unlink.click();
  await expect(unlink).toHaveCount(0);
  await undo(page, /^The edge to .* is closed/);
  await unlink.waitFor();
  await page.getByRole("button", { name: "mast.rs", exact: true }).click();
  await expect(page).toHaveURL(/node=mast.rs/);
  await page.goBack();
  await expect(page).toHaveURL(/node=race/);
});

test("a sleep is watched; its dream is read, and the identity that it proposes is accepted", async ({
  app,
  keeper,
}) => {
  test.setTimeout(90_000);
  await keeper.say("good evening, the mast is repaired", { citizen: "felix" });
  const page = await app.open("/cortex/felix?tab=sleep");
  await expect(page.getByText("It has not slept yet")).toBeVisible();
  // Nothing is scripted yet: the model says what no step can use.
  await page.getByRole("button", { name: "Start a sleep" }).click();
  await expect(page.getByTestId("night")).toContainText("The last sleep failed");
  await expect(page.getByTestId("night")).toContainText(/could not be used/);
  await expect(page.getByRole("tab", { name: /^Sleep/ })).toContainText("failed");
  const identity = `# Felix\n\nI am somebody else now, and I keep my own counsel. ${SCRIPT}\n`;
  const facts = held(JSON.stringify({ facts: [] }));
  keeper.model.script(
    facts,
    says(JSON.stringify({ identity })),
    says(JSON.stringify({ dream: { title: `The mast ${SCRIPT}`, text: `It stood.\n\n${SCRIPT}` } })),
  );
  await page.getByRole("button", { name: "Start a sleep" }).click();
  const night = page.getByTestId("night").first();
  await expect(night).toContainText("Under way");
  const steps = night.getByRole("list", { name: "Steps" }).getByRole("listitem");
  await expect(steps).toHaveText([/Facts\s*under way/, /Identity\s*to come/, /Dream\s*to come/]);
  await expect(page.getByRole("button", { name: "Start a sleep" })).toBeDisabled();
  facts.let(1);
  await expect(night).toContainText(/The last sleep(?! failed)/);
  await expect(night).toContainText("because a person asked for it, by model m");
  await expect(steps).toHaveText([/Facts\s*nothing found/, /Identity\s*done/, /Dream\s*done/]);
  await page.getByRole("button", { name: "Open in the timeline" }).click();
  await expect(page.getByText(/1 more sleep among lines 1 to \d+/)).toBeVisible();
  await isAccessible(page, "sleep");

  await page.getByRole("tab", { name: "Dreams" }).click();
  await page.getByRole("button", { name: /^The mast/ }).click();
  await expect(page.getByTestId("dream")).toContainText("<script>window.hacked = true</script>");
  await isUnharmed(page);

  await page.getByRole("tab", { name: /^Identity/ }).focus();
  await page.keyboard.press("1");
  await expect(page.getByText("A change waits for you")).toBeVisible();
  await expect(page.getByRole("list", { name: "What the proposal would change" })).toContainText(
    "I am somebody else now",
  );
  await isUnharmed(page);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const tab of ["identity", "knowledge", "graph", "dreams", "sleep", "evolution"]) {
    await app.open(`/cortex/felix?tab=${tab}`);
    await expect(page.getByText(/^Reading /)).toHaveCount(0);
    await isNarrow(page, tab);
    // Colours are the same as on a wide page.
    await isAccessible(page, `${tab} on a phone`, ["dark"]);
  }
  await app.open("/cortex/felix");
  await page.getByLabel("Reason, kept in the ledger").fill("it may");
  await page.getByRole("button", { name: "Accept" }).click();
  await expect(page.getByText("A change waits for you")).toHaveCount(0);
  await expect(page.getByTestId("identity")).toContainText("I am somebody else now");
});

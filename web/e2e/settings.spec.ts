// How the keeper is, how the page looks, who is signed in; and the watchdog as its lines tell it.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";
import { held } from "./model";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
}

test.use({ reducedMotion: "reduce" });

test("settings say how the keeper is, change the colours and sign another browser in", async ({
  app,
  browser,
  keeper,
}) => {
  const page = await app.open("/settings");
  const checks = page.getByRole("list", { name: "Checks" });
  await expect(checks.getByRole("listitem").filter({ hasText: "keeper" })).toContainText("ok");
  await expect(checks).toContainText("agent felix");
  await keeper.api("POST", "/agents/felix/park", {});
  await expect(checks.getByRole("listitem").filter({ hasText: "agent felix" })).toContainText("warn");
  await page.getByRole("radio", { name: "Light" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  // What is in force, where it comes from and how it is changed.
  const values = page.getByRole("region", { name: "Values in force" });
  await page.getByLabel("Find in the configuration").fill("keeper.listen");
  await expect(page).toHaveURL(/q=keeper\.listen/);
  await expect(values.getByRole("listitem")).toHaveCount(1);
  await values.getByText(/^listen = /).click();
  await expect(values).toContainText("The flag --listen of abide up wins over all else");
  await expect(values).toContainText('"127.0.0.1:7717"');
  await page.getByLabel("Find in the configuration").fill("model.name");
  await values.getByText(/^name = "m"/).click();
  await expect(values).toContainText(/It stands in line \d+ of .*abide\.toml/);
  await expect(values.getByText("abide config set model.name VALUE")).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Link for another browser" }).click();
  const link = (await page.getByText(/^http:\/\/127\.0\.0\.1:\d+\//).textContent()) ?? "";
  const other = await browser.newContext();
  const code = new URL(link).searchParams.get("code") ?? new URL(link).hash.replace(/^.*=/, "");
  const answer = await other.request.post(`${keeper.url}/session`, { data: { code } });
  expect(answer.status()).toBe(204);
  await other.close();
  await page.setViewportSize({ width: 390, height: 844 });
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide, "it scrolls sideways").toBe(false);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByText(/abide token link/).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "Settings" })).toHaveCount(0);
});

test.describe("with a watchdog that is in a hurry", () => {
  test.use({
    config:
      '[irc]\nlisten = "off"\n[watchdog]\ninterval = "1s"\nthreshold = "2s"\nbell_window = "1s"\nchannel_window = "1s"\ngrace = "1s"\n[[agent]]\nid = "felix"\nmind = "model"\n',
  });

  test("a stall climbs the ladder before one's eyes, is taken in hand, and the watchdog takes orders", async ({
    app,
    keeper,
  }) => {
    const reply = held("Here I am.");
    // The page cancels the first asking; the second is held as well.
    keeper.model.script(held("Never said."), reply);
    const page = await app.open("/watchdog");
    const found = page.getByRole("list", { name: "Agents that were checked" });
    await expect(found.getByRole("listitem")).toContainText("felix");
    await keeper.api("POST", "/start-epoch", { message: "are you there?" });
    const stalls = page.getByRole("list", { name: "Open stalls" });
    await expect(stalls).toContainText("felix");
    const rungs = page.getByRole("list", { name: "Ladder of felix" }).getByRole("listitem");
    await expect(rungs.nth(0)).toContainText("failed");
    // There is no channel; the page ended the asking that stood, so it reached the agent.
    await expect(rungs.nth(1)).toContainText("delivered, confirmed (the agents themselves)");
    await expect(rungs.nth(2)).not.toContainText("ahead");
    await page.getByRole("button", { name: /^Acknowledge/ }).click();
    await expect(stalls).toContainText("acknowledged by");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    const state = page.getByRole("region", { name: "Status" });
    await expect(state).toContainText("paused");
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await expect(state).not.toContainText("paused");
    await page.getByRole("button", { name: "Silence about felix for 1 h" }).click();
    await expect(page.getByRole("button", { name: "End the silence about felix" })).toBeVisible();
    await page.getByRole("button", { name: "Test page" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send a test page" }).click();
    await expect(page.getByText("A step of the escalation failed", { exact: true })).toBeVisible();
    reply.let(1);
    await expect(page.getByText("Nobody is stalled")).toBeVisible();
    await page.getByText("1 that are over").click();
    await expect(page.getByText(/evidence returned/).first()).toBeVisible();
    await page.getByRole("button", { name: "Tell", exact: true }).click();
    await expect(page.getByLabel("Report")).toBeVisible();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await violations(page)).toEqual([]);
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWide, "it scrolls sideways").toBe(false);
  });
});

test.describe("without a watchdog", () => {
  test.use({ config: "[watchdog]\nenabled = false\n" });

  test("its screen says so, and what would make it speak", async ({ app }) => {
    const page = await app.open("/watchdog");
    await expect(page.getByText(/^Reading /)).toHaveCount(0);
    await expect(page.getByText(/The watchdog is off/)).toBeVisible();
    await expect(page.getByText("The watchdog has written nothing that was read here")).toBeVisible();
    await expect(page.getByRole("button", { name: "Test page" })).toHaveCount(0);
    expect(await violations(page)).toEqual([]);
  });
});

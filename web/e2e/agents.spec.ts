// Who is kept alive: parked, resumed, started anew, with what befell it.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";
import { says } from "./model";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
}

test.use({
  config:
    '[[agent]]\nid = "felix"\nname = "Felix"\nmind = "model"\n[[agent]]\nid = "pia"\nname = "Pia"\nmind = "agent"\n',
  reducedMotion: "reduce",
});

test("an agent is parked, its messages wait, and it is resumed", async ({ app, keeper }) => {
  const page = await app.open("/agents");
  const row = page.locator('[data-agent="felix"]');
  await expect(row.getByTestId("state")).toHaveText("idle");
  await row.getByRole("button", { name: "Park Felix" }).click();
  await expect(row.getByTestId("state")).toHaveText("parked");
  await expect(row).toContainText("parked by a person");
  // The way back.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row.getByTestId("state")).toHaveText("idle");
  await row.getByRole("button", { name: "Park Felix" }).click();
  await expect(row.getByTestId("state")).toHaveText("parked");
  keeper.model.script(says("Here I am again."));
  await keeper.api("POST", "/start-epoch", { message: "are you there?", citizen: "felix" });
  await expect(row.locator("dt", { hasText: "Waiting" }).locator("xpath=../dd")).toHaveText("1");
  await row.getByRole("button", { name: "Resume Felix" }).click();
  await expect(row.getByTestId("state")).toHaveText("idle");
  await expect
    .poll(async () => JSON.stringify(await keeper.api("GET", "/epochs?citizen=felix")))
    .toContain("Here I am again.");
  await expect(row.locator("dt", { hasText: "Waiting" }).locator("xpath=../dd")).toHaveText("0");
});

test("a process shows its run, is checkpointed, restored and started anew", async ({ app, keeper }) => {
  keeper.model.script(says("Noted."));
  await keeper.say("note that the heron is grey", { citizen: "pia" });
  await keeper.api("POST", "/stdout", { as: "pia", command: "\\wake ?(sleep(2h)) Look at the pond. ---" });
  const page = await app.open("/agents?agent=pia");
  const panel = page.getByRole("dialog", { name: "Pia" });
  await expect(panel).toContainText(/pid \d+/);
  await expect(panel.getByText("sleep(2h)")).toBeVisible();
  await expect(panel.getByText(/began run \S+, process \d+/).first()).toBeVisible();
  await panel.getByRole("button", { name: "Checkpoint" }).click();
  await expect(page.getByText("pia has a new checkpoint", { exact: true })).toBeVisible();
  await expect(panel.getByText(/^wrote checkpoint \S+ at entry/).first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const pid = /pid (\d+)/.exec((await panel.textContent()) ?? "")?.[1];
  await panel.getByRole("button", { name: "Restore" }).first().click();
  const asked = page.getByRole("dialog", { name: /^Restore Pia to entry/ });
  await asked.getByRole("button", { name: "Restore" }).click();
  await expect(panel.locator("dt", { hasText: /^Process$/ }).locator("xpath=../dd")).not.toContainText(
    `pid ${pid}`,
  );
  await expect(panel.getByText(/a person asked for it/).first()).toBeVisible();
  await panel.getByRole("button", { name: "Restart" }).click();
  await expect(panel.getByText(/a person asked for it/)).toHaveCount(2);
  // Escape closes what lies on top: notices first, then the panel.
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden({ timeout: 500 });
  }).toPass();
  await expect(page).toHaveURL(/\/agents$/);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.locator('[data-agent="pia"]')).toContainText("behind its checkpoint");
  expect(await violations(page)).toEqual([]);
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide, "it scrolls sideways").toBe(false);
});

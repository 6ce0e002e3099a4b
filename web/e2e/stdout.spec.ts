// The console: a round trip, completion, history, the place of a mistake, grants.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
}

test.use({ reducedMotion: "reduce" });

test("commands go to the keeper and back, by keyboard alone", async ({ app }) => {
  const page = await app.open("/stdout");
  const field = page.getByRole("textbox", { name: "Command" });
  const log = page.getByRole("log", { name: "Output" });
  await page.keyboard.press("i");
  await expect(field).toBeFocused();
  // Completed twice, written once.
  await page.keyboard.type("\\std");
  await expect(page.getByRole("option", { name: /stdout/ })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Tab");
  await page.keyboard.type("wr");
  await page.keyboard.press("Tab");
  await expect(field).toHaveValue("\\stdout write: ");
  await page.keyboard.type("<b>the heron</b> is grey ---");
  await page.keyboard.press("Enter");
  await expect(log.getByText("Written at tick")).toBeVisible();
  await page.keyboard.type("\\say @fe");
  await expect(page.getByRole("option", { name: "@felix" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("listbox")).toHaveCount(0);
  await field.fill("\\stdout read: last 5 ---");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await expect(log.getByLabel("Output of \\stdout read: last 5 ---")).toContainText(
    "<b>the heron</b> is grey",
  );
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(field).toHaveValue("\\stdout write: <b>the heron</b> is grey ---");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(field).toHaveValue("");
});

test("a mistake is shown at its place, and leads back to it", async ({ app }) => {
  const page = await app.open("/stdout");
  const field = page.getByRole("textbox", { name: "Command" });
  const command = "\\stdout query: ?(tikc > 42) ---";
  await field.fill(command);
  await page.keyboard.press("Enter");
  const mistake = page.getByLabel(`Error of ${command}`);
  await expect(mistake).toContainText("did you mean `tick`");
  const lines = ((await mistake.textContent()) ?? "").split("\n");
  const caret = lines.at(-1)?.indexOf("^") ?? -1;
  expect(lines.at(-2)?.slice(caret)).toMatch(/^tikc/);
  expect(await mistake.evaluate((element) => getComputedStyle(element).whiteSpace)).toBe("pre");
  await page.getByRole("button", { name: `Show the error in: ${command}` }).click();
  await expect(field).toHaveValue(command);
  await expect
    .poll(() => field.evaluate((element) => (element as HTMLTextAreaElement).selectionStart))
    .toBe(command.indexOf("tikc"));
  expect(await violations(page)).toEqual([]);
});

test("as another one, with examples, grants and a narrow window", async ({ app }) => {
  const page = await app.open("/stdout?as=@ann&command=%5Cread%20---");
  const field = page.getByRole("textbox", { name: "Command" });
  // A link runs nothing by itself.
  await expect(field).toHaveValue("\\read ---");
  await expect(page.getByText("No commands yet")).toBeVisible();
  await page.getByRole("button", { name: /stdout budget/ }).click();
  await expect(field).toHaveValue("\\stdout budget: ---");
  await field.fill("\\stdout read: @bob last 5 ---");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByText(/@ann may not read the stdout of @bob/)).toBeVisible();
  await page.getByRole("textbox", { name: "Reader" }).fill("ann");
  await page.getByRole("textbox", { name: "Whose log" }).fill("@bob");
  await page.getByRole("button", { name: "Grant", exact: true }).click();
  const grant = page.getByRole("list", { name: "Grants" }).getByRole("listitem");
  await expect(grant).toContainText("@ann reads @bob");
  await field.focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.getByText("No stdout entries for @bob yet")).toBeVisible();
  await grant.getByRole("button", { name: /^Revoke/ }).click();
  await expect(grant).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await violations(page)).toEqual([]);
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide, "it scrolls sideways").toBe(false);
});

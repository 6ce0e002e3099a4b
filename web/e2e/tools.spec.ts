// What agents may do with tools, set in Settings: at once, kept, undone; by keyboard and on a small screen.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "./keeper";
import { calls, says } from "./model";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

test.use({
  reducedMotion: "reduce",
  config: '[tools]\nallow = ["memory.*", "clock.*"]\ndeny = ["stdout"]\n',
});

test("a tool is denied, stays so after a reload and for the agent's next call, and Undo lets it run again", async ({
  app,
  keeper,
}) => {
  const page = await app.open("/settings");
  const clock = page.getByRole("group", { name: "clock.now" });
  await expect(clock.getByRole("radio", { name: "Allow" })).toBeChecked();
  const list = page.getByRole("region", { name: "Tools and their policies" });
  await page.getByLabel("Find a tool").fill("clock.now");
  await expect(list.getByRole("listitem")).toHaveCount(1);

  await clock.getByRole("radio", { name: "Deny" }).check();
  await expect(page.getByText("clock.now: allow → deny", { exact: true })).toBeVisible();
  await expect(list).toContainText(/set by @.*abide\.toml says allow/);
  keeper.model.script(calls("clock.now"), says("I may not look."));
  const denied = await keeper.say("what time is it?");
  const epoch = (await keeper.api("GET", `/epochs/${denied.epoch_id}`)) as {
    turns: { tool_calls: { outcome: string }[] }[];
  };
  expect(epoch.turns[0]?.tool_calls[0]?.outcome).toBe("denied");

  await page.reload();
  await app.live();
  await expect(clock.getByRole("radio", { name: "Deny" })).toBeChecked();
  // By keyboard: the arrows choose, and the toast has the way back.
  await clock.getByRole("radio", { name: "Deny" }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByText("clock.now: deny → ask", { exact: true })).toBeVisible();
  await expect(clock.getByRole("radio", { name: "Ask" })).toBeChecked();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(clock.getByRole("radio", { name: "Deny" })).toBeChecked();
  // What another one sets shows here.
  await keeper.api("PUT", "/tools/clock.now/policy", { policy: null });
  await expect(clock.getByRole("radio", { name: "Allow" })).toBeChecked();
  keeper.model.script(calls("clock.now"), says("It is late."));
  await keeper.say("what time is it?");
  await expect(list).toContainText("as abide.toml says");
});

test("what abide.toml denies cannot be chosen, and the list fits a small screen", async ({ app }) => {
  const page = await app.open("/settings");
  const stdout = page.getByRole("group", { name: "stdout" });
  await expect(stdout.getByRole("radio", { name: "Allow" })).toBeDisabled();
  await expect(page.getByText("`stdout` is denied by `stdout` in `tools.deny`")).toBeVisible();
  await page.getByRole("radio", { name: "Deny" }).first().check();
  await page.setViewportSize({ width: 390, height: 844 });
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide, "it scrolls sideways").toBe(false);
  const found = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  expect(
    found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`),
  ).toEqual([]);
});

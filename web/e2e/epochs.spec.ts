// The timeline by exchanges: how each ended, what it took, when it did what, with its lines beneath.
import { expect, test } from "./keeper";
import { calls, held, says } from "./model";

test.use({
  config: '[irc]\nlisten = "off"\n[supervisor]\ncheckpoint_interval = "1h"\n[watchdog]\ninterval = "1s"\n',
});

test("an exchange is a row with its end and its time, and opens to a waterfall and its lines", async ({
  app,
  keeper,
}) => {
  keeper.model.script(calls("clock.now"), says("It is late."));
  await keeper.say("what time is it?");
  const page = await app.open("/timeline");
  const list = page.getByRole("list", { name: "Exchanges" });
  const row = list.getByRole("listitem").filter({ hasText: "what time is it?" });
  await expect(row).toContainText("answered");
  await expect(row).toContainText(/\d+ tokens/);
  await expect(row.getByRole("img", { name: "2 turns, 1 tool" })).toBeVisible();
  await row.getByRole("button").click();
  const fall = row.getByRole("list", { name: "What took how long" });
  for (const name of ["reads its memory", "turn 1", "clock.now", "turn 2"])
    await expect(fall.getByText(name, { exact: true })).toBeVisible();
  await expect(row).toContainText("“It is late.”");
  await row.getByText(/^\d+ events$/).click();
  await expect(row.getByRole("list", { name: "Its events" })).toContainText("ran clock.now");
  // What happened beside is folded, and scans that found nothing are counted.
  // It stands above the exchange once a scan came: what lies below, from before, is another one.
  const gap = list.getByRole("listitem").first();
  await expect(gap).toContainText("beside");
  await gap.getByRole("button").click();
  await expect(gap.getByRole("list", { name: /^Events \d+ to/ })).toContainText(/\d+ scans? of the watchdog/);
  // One that runs grows by itself.
  const reply = held("half ", "done");
  keeper.model.script(reply);
  await keeper.api("POST", "/start-epoch", { message: "and now?" });
  const second = list.getByRole("listitem").filter({ hasText: "and now?" });
  await expect(second).toContainText("running");
  reply.let(2);
  await expect(second).toContainText("answered");
  // By keys: down from the newest exchange to what lies beside it, and back. Rows that come in meanwhile stand above both.
  await page.keyboard.press("j");
  await expect(page.locator("[data-row]:focus")).toHaveCount(1);
  const button = second.locator("[data-row]").first();
  await button.focus();
  await page.keyboard.press("j");
  await expect(page.locator("[data-row]:focus")).toHaveCount(1);
  await expect(button).not.toBeFocused();
  await page.keyboard.press("k");
  await expect(button).toBeFocused();
  await row.getByRole("link", { name: "Its story and turns" }).click();
  await expect(page).toHaveURL(/rows=lines/);
  await expect(page.getByRole("listbox", { name: "Events" })).toBeVisible();
  await page.getByRole("link", { name: "Exchanges" }).click();
  await expect(list).toBeVisible();
  await page.getByLabel("How it ended").selectOption("Without a reply");
  await expect(page.getByText("No match")).toBeVisible();
});

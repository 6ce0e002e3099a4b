// What needs somebody, gone through by keys: grouped, put aside, snoozed, several at once.
import { expect, test } from "./keeper";
import { says } from "./model";

test.describe("with a model that is not there", () => {
  test.use({
    config: `[model]
provider = "openai"
base_url = "http://127.0.0.1:9/v1"
name = "m"
[limits]
attempts = 1
[[agent]]
id = "felix"
mind = "model"
[[agent]]
id = "iris"
mind = "model"
`,
  });

  test("the inbox is emptied by keys, and what was put aside is found again", async ({ app, keeper }) => {
    for (const [message, citizen] of [
      ["one", "felix"],
      ["two", "felix"],
      ["three", "felix"],
      ["four", "iris"],
    ])
      await keeper.say(message ?? "", { citizen });
    const page = await app.open("/");
    const list = page.getByRole("list", { name: "Needs attention", exact: true });
    const rows = list.locator("[id^=matter-]");
    await expect(rows).toHaveCount(4);
    await expect(list.getByRole("button", { name: /felix 3 × no reply/ })).toBeVisible();
    await page.keyboard.press("j");
    await expect(rows.nth(0)).toBeFocused();
    await page.keyboard.press("j");
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press("k");
    await expect(rows.nth(0)).toBeFocused();
    // Put aside; the next one is at hand, and it can be taken back.
    await page.keyboard.press("e");
    await expect(rows).toHaveCount(3);
    await expect(rows.nth(0)).toBeFocused();
    await expect(page).toHaveTitle(/^\(3\)/);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(rows).toHaveCount(4);
    // Several at once.
    await page.getByRole("checkbox", { name: /^Choose all: felix/ }).check();
    const bar = page.getByRole("toolbar", { name: "With what was chosen" });
    await expect(bar).toContainText("3 chosen");
    await expect(bar.getByRole("button", { name: "Ask again" })).toBeVisible();
    await bar.getByRole("button", { name: "Snooze" }).click();
    await page.getByRole("menuitem", { name: "For 1 hour" }).click();
    await expect(rows).toHaveCount(1);
    await expect(rows.first()).toContainText("iris");
    await page.reload();
    await expect(rows).toHaveCount(1);
    await page.getByText("3 put aside in this browser, still open").click();
    await page
      .getByRole("list", { name: "Put aside" })
      .getByRole("button", { name: "Take back" })
      .first()
      .click();
    await expect(rows).toHaveCount(2);
    // The keeper was told nothing.
    const { items } = (await keeper.api("GET", "/attention")) as { items: unknown[] };
    expect(items.length).toBe(4);
    // One is dismissed for good.
    const aside = page.getByRole("list", { name: "Put aside" });
    await aside.getByRole("button", { name: "Take back" }).first().click();
    await expect(rows).toHaveCount(3);
    await rows
      .last()
      .getByRole("button", { name: /^Dismiss/ })
      .click();
    await expect(rows).toHaveCount(2);
    const left = async () => ((await keeper.api("GET", "/attention")) as { items: unknown[] }).items.length;
    await expect.poll(left).toBe(3);
    // Something is done to several at once: each is asked again and fails again, as another matter.
    for (const one of await rows.getByRole("checkbox").all()) await one.check();
    await page.getByRole("toolbar").getByRole("button", { name: "Ask again" }).click();
    await expect(page.getByText("Ask again: 2 done", { exact: true })).toBeVisible();
  });

  test("agents that need a look stand first", async ({ app, keeper }) => {
    await keeper.api("POST", "/agents/iris/park", {});
    const page = await app.open("/");
    const cards = page.getByRole("region", { name: "Agents" }).locator("[data-agent]");
    await expect(cards.first()).toHaveAttribute("data-agent", "iris");
    await keeper.api("POST", "/agents/iris/resume", {});
    await expect(cards.first()).toHaveAttribute("data-agent", "felix");
  });
});

test("who an agent is to become is seen before it is approved", async ({ app, keeper }) => {
  await keeper.say("hello");
  const identity = "# Felix\n\nI am somebody else now, and I keep my own counsel in all things.\n";
  keeper.model.script(
    says(JSON.stringify({ facts: [] })),
    says(JSON.stringify({ identity })),
    says(JSON.stringify({ dream: { title: "The mast", text: "It stood." } })),
  );
  await keeper.api("POST", "/management/sleep", { citizen: "felix" });
  const page = await app.open("/");
  const list = page.getByRole("list", { name: "Needs attention" });
  const change = list.getByRole("region", { name: "What would change" });
  await expect(change).toContainText("I am somebody else now");
  await expect(list.getByRole("button", { name: /^Approve/ })).toBeVisible();
});

import { expect, test } from "./keeper";
import { calls, held, says } from "./model";

test("from the first screen to the first answer", async ({ app }) => {
  const page = await app.open("/");
  await expect(page.getByText("Nothing needs you")).toBeVisible();
  await page.getByRole("link", { name: "Chat" }).first().click();
  await expect(page).toHaveURL(/\/chat\/felix$/);
  // What one might begin with stands in the field, and is not sent.
  const field = page.getByRole("textbox", { name: /^Message to/ });
  await page.getByRole("button", { name: /^Remember that/ }).click();
  await expect(field).toHaveValue("Remember that ");
  await expect(field).toBeFocused();
  await app.send("hello there");
  await expect(page.getByTestId("reply")).toContainText("you said:");
  await expect(page.getByRole("textbox", { name: /^Message to/ })).toHaveValue("");
  await page.getByRole("button", { name: "Context" }).click();
  const panel = page.getByRole("dialog", { name: "What the model saw" });
  await expect(panel.getByText(/Proven/)).toBeVisible();
  await expect(panel.getByText(/tokens, estimated/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
});

test("an answer grows piece by piece and is there once at the end", async ({ app, keeper }) => {
  const reply = held("The **heron** ", "is grey", ", and it stands still.");
  keeper.model.script(reply);
  const page = await app.open("/chat/felix");
  await app.send("what of the heron?");
  reply.let(1);
  await expect(page.getByTestId("growing")).toHaveText("The heron");
  // A page that is opened meanwhile sees the same.
  const second = await page.context().newPage();
  await second.goto(`${keeper.url}/chat/felix`);
  await expect(second.getByTestId("growing")).toHaveText("The heron");
  reply.let(1);
  await expect(page.getByTestId("growing")).toHaveText("The heron is grey");
  await expect(second.getByTestId("growing")).toHaveText("The heron is grey");
  reply.let(1);
  for (const one of [page, second]) {
    await expect(one.getByTestId("reply")).toHaveText("The heron is grey, and it stands still.");
    await expect(one.getByTestId("growing")).toHaveCount(0);
    await expect(one.getByRole("article")).toHaveCount(1);
  }
  await second.close();
});

test("a running epoch is stopped and can be asked again", async ({ app, keeper }) => {
  keeper.model.script(held("never"));
  const page = await app.open("/chat/felix");
  await app.send("think for ever");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByTestId("stopped")).toContainText("Stopped: stopped on the page");
  await expect(page.getByTestId("failed")).toHaveCount(0);
  // It may have been stopped before its model was asked.
  keeper.model.clear();
  keeper.model.script(says("Here I am."));
  await page.getByRole("button", { name: "Ask again" }).click();
  await expect(page.getByTestId("reply")).toHaveText("Here I am.");
});

test("a message is edited and forked; the old exchange stays", async ({ app, keeper }) => {
  keeper.model.script(says("One."), says("Two."));
  const page = await app.open("/chat/felix");
  await app.send("count to one");
  await expect(page.getByTestId("reply")).toHaveText("One.");
  await page.getByRole("button", { name: "About this message" }).click();
  await page.getByRole("menuitem", { name: "Edit and fork" }).click();
  await page.getByLabel(/The message, changed/).fill("count to two");
  await page.getByRole("button", { name: "Fork", exact: true }).click();
  await expect(page.getByTestId("reply")).toHaveText(["One.", "Two."]);
});

test.describe("with a tool that asks first", () => {
  test.use({ config: '[tools]\nask = ["clock.*"]\n' });

  test("an approval is given in the inbox and its tool card shows what came of it", async ({
    app,
    keeper,
  }) => {
    keeper.model.script(calls("clock.now"), says("It is late."));
    const page = await app.open("/chat/felix");
    await app.send("what time is it?");
    const card = page.getByRole("alertdialog");
    await expect(card).toContainText("felix wants to run clock.now");
    await page
      .getByRole("link", { name: /^Attention/ })
      .first()
      .click();
    const matter = page.getByRole("list", { name: "Needs attention" }).getByRole("listitem");
    await expect(matter).toHaveCount(1);
    await matter.getByRole("button", { name: /^Approve/ }).click();
    await expect(page.getByText("Nothing needs you")).toBeVisible();
    await page.goBack();
    await expect(page.getByTestId("reply")).toHaveText("It is late.");
    await expect(page.getByRole("log").locator("time[datetime]").first()).toHaveText(/\d{4}/);
    const tool = page.getByTestId("tool-card");
    await expect(tool).toContainText("clock.now");
    await expect(tool).toContainText("read");
    await expect(tool).toContainText("ok");
    await tool.locator("summary").click();
    await expect(tool.getByLabel("Result of clock.now")).toBeVisible();
  });

  test("a denial in the conversation is told to the agent with its reason", async ({ app, keeper }) => {
    keeper.model.script(calls("clock.now"), says("As you wish."));
    const page = await app.open("/chat/felix");
    await app.send("what time is it?");
    await page.getByLabel("Reason, told to the agent").fill("not now");
    await page.getByRole("button", { name: "Deny" }).click();
    await expect(page.getByTestId("reply")).toHaveText("As you wish.");
    await expect(page.getByTestId("tool-card")).toContainText("denied");
  });
});

test("after the keeper was killed and started again nothing is lost or doubled", async ({ app, keeper }) => {
  const page = await app.open("/chat/felix");
  await app.send("first");
  await expect(page.getByTestId("reply")).toHaveCount(1);
  const reply = held("half of ", "the answer");
  keeper.model.script(reply);
  await app.send("second");
  reply.let(1);
  await expect(page.getByTestId("growing")).toContainText("half of");
  await keeper.down("SIGKILL");
  await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "offline");
  // What is written while the keeper is away is sent when it answers again, once.
  keeper.model.script(says("The whole answer."), says("Third answer."));
  await app.send("third");
  await keeper.up();
  await app.live();
  await expect(page.getByTestId("connection")).toContainText(
    /reconnected, (replayed \d+ events|nothing was missed)/,
  );
  await expect(page.getByTestId("reply")).toHaveText([/you said/, "The whole answer.", "Third answer."]);
  await expect(page.getByTestId("growing")).toHaveCount(0);
  const ledger = (await keeper.api("GET", "/epochs")) as { items: unknown[] };
  await expect(page.getByRole("article")).toHaveCount(ledger.items.length);
  expect(ledger.items.length).toBe(3);
});

test("hostile text is shown as text", async ({ app, keeper }) => {
  const hostile = [
    "<script>window.stolen = 1</script><img src=x onerror='window.stolen = 1'>",
    "[press](javascript:window.stolen=1) [data](data:text/html,x) ![pixel](https://example.org/p.png)",
    "\u202Eright to left\u202C zero\u200Bwidth \u{1F9D1}\u200D\u{1F680} **never closed [half](mailto",
  ].join("\n\n");
  keeper.model.script(says(hostile));
  const requests: string[] = [];
  const page = await app.open("/chat/felix");
  page.on("request", (request) => requests.push(request.url()));
  await app.send(hostile);
  const reply = page.getByTestId("reply");
  await expect(reply).toContainText("<script>window.stolen = 1</script>");
  await expect(reply.getByRole("link")).toHaveText(["pixel"]);
  expect(await reply.getByRole("link").getAttribute("rel")).toContain("noopener");
  expect(await page.evaluate(() => (window as unknown as { stolen?: number }).stolen)).toBeUndefined();
  expect(await page.locator("article script, article img").count()).toBe(0);
  expect(requests.filter((url) => !url.startsWith(keeper.url))).toEqual([]);
});

test.describe("with two agents", () => {
  test.use({
    config:
      '[tools]\nask = ["clock.*"]\n[[agent]]\nid = "felix"\nmind = "model"\n[[agent]]\nid = "iris"\nmind = "model"\n',
  });

  test("both are seen at work at once, and one that waits is told of on any screen", async ({
    app,
    keeper,
  }) => {
    const first = held("one");
    const second = held("two");
    const page = await app.open("/");
    const cards = page.getByRole("region", { name: "Agents" }).getByRole("listitem");
    await expect(cards).toHaveCount(2);
    for (const [agent, reply] of [
      ["felix", first],
      ["iris", second],
    ] as const) {
      keeper.model.script(reply);
      await keeper.api("POST", "/start-epoch", { message: `work, ${agent}`, citizen: agent });
      await expect(cards.filter({ hasText: agent })).toContainText("thinks, turn 1");
    }
    await expect(page.getByText("2 of 2 working")).toBeVisible();
    second.let(1);
    await expect(cards.filter({ hasText: "iris" })).toContainText("Idle");
    await expect(cards.filter({ hasText: "felix" })).toContainText("thinks");
    first.let(1);
    await expect(page.getByText("0 of 2 working")).toBeVisible();
    // What each did last stays in sight, and leads there.
    await expect(cards.filter({ hasText: "felix" })).toContainText("answered user: “one”");
    await expect(cards.filter({ hasText: "iris" }).getByRole("link", { name: /answered/ })).toHaveAttribute(
      "href",
      /\/chat\/iris\?epoch=/,
    );
    await page.getByRole("link", { name: "Settings" }).first().click();
    keeper.model.script(calls("clock.now"));
    await keeper.api("POST", "/start-epoch", { message: "the time?", citizen: "iris", interactive: true });
    await expect(page.getByText("iris waits for you", { exact: true })).toBeVisible();
    await expect(page).toHaveTitle(/^\(1\) Settings/);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect(page.getByRole("list", { name: "Needs attention" }).getByRole("listitem")).toHaveCount(1);
  });
});

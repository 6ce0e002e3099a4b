// A conversation as people use it: long, on a small screen, offline, stopped, failed, with a call to decide.
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";
import { calls, held, Reply, says } from "./model";

/** Screens that leave little room: a phone on its side, a phone with its keyboard up, a phone, a desk. */
const SIZES = [
  { width: 667, height: 375 },
  { width: 390, height: 430 },
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
];

const field = (page: Page) => page.getByRole("textbox", { name: /^Message to/ });
const log = (page: Page) => page.getByRole("log", { name: "Conversation" });

const topOf = (page: Page, id: string) =>
  page.locator(`#epoch-${id}`).evaluate((one) => Math.round(one.getBoundingClientRect().top));

test("half of a small screen is the conversation, and nothing is wider than it", async ({ app, keeper }) => {
  keeper.model.script(says("The heron is grey. ".repeat(40)));
  await keeper.say("what of the heron?");
  const page = await app.open("/chat/felix");
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await field(page).focus();
    const where = `${size.width}×${size.height}`;
    const height = await log(page).evaluate((one) => one.clientHeight);
    expect(height / size.height, `${where}: room for the conversation`).toBeGreaterThan(0.5);
    const head = page.locator("main header").first();
    expect((await head.boundingBox())?.height, `${where}: the head is one line`).toBeLessThanOrEqual(48);
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWide, `${where} scrolls sideways`).toBe(false);
    await expect(field(page)).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole("button", { name: "Send" })).toBeInViewport({ ratio: 1 });
    // Every screen is still two presses away.
    const nav = page.getByRole("navigation", { name: "Screens" }).filter({ visible: true });
    if ((await nav.count()) === 0) {
      await page.getByRole("button", { name: "All screens" }).click();
      await expect(page.getByRole("menuitem", { name: "Watchdog" })).toBeVisible();
      await page.keyboard.press("Escape");
    }
  }
});

test("earlier exchanges are put above without moving what is read, and one's own message is scrolled to", async ({
  app,
  keeper,
}) => {
  test.setTimeout(60_000);
  for (let at = 0; at < 72; at += 1) {
    await keeper.api("POST", "/start-epoch", { message: `message ${at}\n${"line\n".repeat(6)}` });
  }
  await keeper.say("the last");
  const page = await app.open("/chat/felix");
  const first = page.getByRole("article").first();
  await expect(page.getByRole("article").last()).toContainText("the last");
  await log(page).evaluate((one) => {
    one.scrollTop = 0;
  });
  const id = ((await first.getAttribute("id")) ?? "").replace("epoch-", "");
  const before = await page.getByRole("article").count();
  const earlier = page.getByRole("button", { name: "Earlier" });
  await expect(earlier).toBeVisible();
  const top = await topOf(page, id);
  await earlier.click();
  await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(before);
  // Rows are drawn before they are measured: what counts is where it comes to rest.
  await expect.poll(async () => Math.abs((await topOf(page, id)) - top)).toBeLessThan(4);
  // Far from the end, a message of one's own leads there.
  await app.send("and this one");
  await expect(page.getByRole("article").last()).toContainText("and this one");
  await expect(page.getByRole("article").last()).toBeInViewport();
  await expect(page.getByTestId("reply").last()).toBeInViewport();
});

test("a paste that is too long is kept whole, said to be so, and not sent", async ({ app }) => {
  const page = await app.open("/chat/felix");
  const long = "w".repeat(10_007);
  await field(page).fill(long);
  await expect(field(page)).toHaveValue(long);
  await expect(page.locator("form [role=alert]")).toContainText("7 characters longer than a message may be");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("article")).toHaveCount(0);
  await expect(field(page)).toHaveValue(long);
  await field(page).fill("w".repeat(10_000));
  await expect(page.locator("form [role=alert]")).toHaveText("");
});

test("back closes what the model saw and stays in the conversation; all that it saw is there", async ({
  app,
  keeper,
}) => {
  const { epoch_id } = await keeper.say("what of the heron?");
  await app.open("/");
  const page = await app.open("/chat/felix");
  await page.getByRole("button", { name: "Context" }).click();
  const panel = page.getByRole("dialog", { name: "What the model saw" });
  await expect(panel.getByText(/Proven: byte for byte/)).toBeVisible();
  const found = (await keeper.api("GET", `/epochs/${epoch_id}?context=1`)) as {
    context: { parts: { part: string; title: string; text: string }[]; tools: { name: string }[] };
  };
  // Each part of what was shown has its text in the panel, the tools with all that is told of them.
  const told = await panel.evaluate((one) => (one.textContent ?? "").replace(/\s+/g, ""));
  for (const { part, title, text } of found.context.parts) {
    for (const line of text.split("\n").filter((one) => !/^(#|```|~~~)/.test(one))) {
      const words = line.replace(/\s*[{[][^{}[\]]*[}\]]\s*$/g, "").replace(/\s+/g, "");
      expect(told, `${part} ${title}`).toContain(words.slice(0, 200));
    }
  }
  for (const tool of found.context.tools) expect(told).toContain(tool.name);
  expect(found.context.tools.length).toBeGreaterThan(0);
  await page.goBack();
  await expect(panel).toBeHidden();
  await expect(page).toHaveURL(/\/chat\/felix$/);
  await expect(page.getByTestId("reply")).toBeVisible();
});

test("the palette is typed into at once", async ({ app }) => {
  const page = await app.open("/");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Find a command" })).toBeFocused();
  await page.keyboard.type("go to wat");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/watchdog$/);
});

test("a person's own stop is no failure, and what was written stays", async ({ app, keeper }) => {
  const reply = held("The heron is ", "never said");
  keeper.model.script(reply);
  const page = await app.open("/chat/felix");
  await app.send("what of the heron?");
  reply.let(1);
  await expect(page.getByTestId("growing")).toHaveText("The heron is");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByTestId("stopped")).toBeVisible();
  await expect(page.getByTestId("leftover")).toContainText("The heron is");
  await expect(page.getByTestId("failed")).toHaveCount(0);
});

test.describe("with a model that is not there", () => {
  test.use({
    config:
      '[model]\nprovider = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nname = "m"\n[limits]\nattempts = 2\n',
  });

  test("a failure has a headline, a way to its cause, and its words beneath", async ({ app }) => {
    const page = await app.open("/chat/felix");
    await app.send("are you there?");
    await expect(
      page.getByText(/The model could not be reached; trying again, attempt 2 of 2/),
    ).toBeVisible();
    const failed = page.getByTestId("failed");
    await expect(failed).toContainText("The model could not be reached, or gave no answer");
    const raw = failed.getByText("turn_failed");
    await expect(raw).toBeHidden();
    await failed.getByText("What was recorded").click();
    await expect(raw).toBeVisible();
    await failed.getByRole("button", { name: "See the model's settings" }).click();
    await expect(page).toHaveURL(/\/settings\?q=model/);
  });
});

test.describe("with a tool that asks first", () => {
  test.use({ config: '[tools]\nask = ["clock.*", "memory.record_node"]\n' });

  test("an approval says what it changes, who asked and why, shows what hides, and is decided by a key", async ({
    app,
    keeper,
  }) => {
    keeper.model.script(
      new Reply(["I want to know the hour."], [{ name: "clock.now", arguments: {} }]),
      says("It is late."),
    );
    const page = await app.open("/chat/felix");
    await app.send("what time is it?");
    const card = page.getByRole("alertdialog");
    await expect(card).toContainText("felix wants to run clock.now");
    await expect(card).toContainText("It reads and changes nothing.");
    await expect(card).toContainText("user");
    await expect(card).toContainText("“what time is it?”");
    await expect(card).toContainText("“I want to know the hour.”");
    await expect(card).toContainText(/Expires in \d+ min/);
    // The reason is there too for whoever opens the page later.
    await page.reload();
    await expect(card).toContainText("“I want to know the hour.”");
    await log(page).focus();
    await page.keyboard.press("a");
    await expect(page.getByTestId("reply")).toHaveText("It is late.");
    keeper.model.script(
      calls("memory.record_node", { node_id: "n", node: { type: "Person", name: "gpj.\u202Eexe" } }),
      says("As you wish."),
    );
    await app.send("remember Kim");
    await expect(card).toContainText("It changes Abide's own state");
    await expect(card).toContainText("gpj.⟦U+202E⟧exe");
    await log(page).focus();
    await page.keyboard.press("d");
    await expect(page.getByTestId("reply").last()).toHaveText("As you wish.");
    await expect(page.getByTestId("tool-card").last()).toContainText("denied");
  });
});

test("while the keeper is away nothing breathes", async ({ app, keeper }) => {
  const reply = held("half ", "done");
  keeper.model.script(reply);
  const page = await app.open("/chat/felix");
  await app.send("begin");
  reply.let(1);
  await expect(page.getByTestId("growing")).toHaveText("half");
  await expect(page.locator("main [data-life=alive]").first()).toBeVisible();
  await keeper.down("SIGKILL");
  await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "offline");
  await expect(page.locator("[data-life=alive]")).toHaveCount(0);
  await expect(page.getByRole("article")).toContainText("Offline; as last seen it");
});

test("conversations are listed with what they are about, and what is new in them", async ({
  app,
  keeper,
}) => {
  await keeper.say("the heron is grey", { session_id: "direct:kim" });
  await keeper.say("the pond is deep", { session_id: "direct:nico" });
  const page = await app.open("/chat/felix");
  await page.setViewportSize({ width: 1440, height: 900 });
  const list = page.getByRole("navigation", { name: "Conversations" });
  const entry = (title: string) => list.getByRole("button").filter({ hasText: title });
  await expect(entry("the heron is grey")).toContainText("felix: you said:");
  await entry("the heron is grey").click();
  await expect(page.getByRole("article")).toHaveCount(1);
  await keeper.say("and cold", { session_id: "direct:nico" });
  await expect(entry("the pond is deep")).toContainText("1 unread");
  await entry("the pond is deep").click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(entry("the pond is deep")).not.toContainText("unread");
  // The same on a phone, behind one button.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Conversations" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /the heron is grey/ })
    .click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("article")).toHaveCount(1);
});

test("a search gives one list, each exchange once, and leads to it", async ({ app, keeper }) => {
  await keeper.say("the heron is grey", { session_id: "direct:kim" });
  await keeper.say("the pond is deep", { session_id: "direct:nico" });
  const page = await app.open("/chat/felix");
  await page.keyboard.press("/");
  await page.keyboard.type("heron");
  const found = page.getByRole("region", { name: "Found" });
  await expect(found.getByRole("listitem")).toHaveCount(1);
  await expect(found.locator("mark").first()).toHaveText("heron");
  await found.getByRole("button").click();
  await expect(page).toHaveURL(/epoch=/);
  await expect(page.getByRole("article").filter({ hasText: "the heron is grey" })).toBeInViewport();
});

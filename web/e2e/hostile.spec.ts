// Text of others in every place where it is shown: it is text, it loads nothing, it runs nothing, and it breaks no layout.
import type { Page } from "@playwright/test";
import { expect, test } from "./keeper";
import { calls, says } from "./model";

const SCRIPT = "<script>window.stolen=1</script><img src=x onerror='window.stolen=1'>";
/** A link that runs something, one that loads something, turned-around and invisible letters, a family of one letter, marks that never end. */
const REST =
  "[press](javascript:window.stolen=1) ![pixel](https://example.org/p.png) \u202Eright to left\u2066 \u200Bzero\u200D\uFEFFwidth \u{1F468}\u200D\u{1F469}\u200D\u{1F467} שלום **never `closed [half](mailto";
const HOSTILE = `${SCRIPT} ${REST}`;
const LONG = "w".repeat(3_000);
const MB5 = 5 * 1024 * 1024;

test.use({
  config: `[irc]
listen = "off"
[tools]
ask = ["memory.record_node"]
[test]
probe_file = "/dev/null"
[[agent]]
id = "felix"
name = "Felix <b>bold</b>"
role = "${SCRIPT.replaceAll('"', "'")}"
mind = "model"
`,
  reducedMotion: "reduce",
});

async function isUnharmed(page: Page, where: string): Promise<void> {
  expect(await page.evaluate(() => "stolen" in window), `${where}: something ran`).toBe(false);
  const made = await page.locator("img, iframe, object, embed, main script, main b, [onerror]").count();
  expect(made, `${where}: markup was made`).toBe(0);
  // What turns letters around or hides is shown as what it is, in texts and in what is read aloud or shown on hover.
  const hidden = await page.evaluate(() => {
    const isHidden = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!(node instanceof Element)) texts.push(node.nodeValue ?? "");
      else for (const name of ["title", "aria-label"]) texts.push(node.getAttribute(name) ?? "");
    }
    return texts.filter((text) => isHidden.test(text)).map((text) => JSON.stringify(text.slice(0, 120)));
  });
  expect(hidden, `${where}: hidden characters`).toEqual([]);
  const lead = await page
    .locator("a[href]")
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol));
  expect(
    lead.filter((protocol) => !["http:", "https:", "mailto:"].includes(protocol)),
    where,
  ).toEqual([]);
}

async function isNarrow(page: Page, where: string): Promise<void> {
  const isWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWide, `${where} scrolls sideways`).toBe(false);
}

test("in a message, an answer, a tool, a fact, a note, a file's name and whatever shows them", async ({
  app,
  keeper,
}) => {
  test.setTimeout(90_000);
  const outside: string[] = [];
  app.page.on("request", (request) => {
    if (!request.url().startsWith(keeper.url)) outside.push(request.url());
  });
  keeper.model.script(
    calls("memory.remember_fact", { content: `a fact ${HOSTILE}`, tags: [SCRIPT.slice(0, 60)] }),
    calls("stdout", { command: `\\stdout write: a note ${HOSTILE} ${LONG} ---` }),
    says(`an answer ${HOSTILE}\n\n${LONG}`),
  );
  await keeper.say(`a message ${HOSTILE} ${LONG}`, {
    citizen: "felix",
    sender: "mallory",
    session_id: `session ${SCRIPT}`,
  });
  await keeper.api("POST", "/stdout", {
    as: "felix",
    command: `\\wake ?(content contains "${SCRIPT.replaceAll('"', "")}") a wake ${HOSTILE} ---`,
  });
  await keeper.api("POST", "/memory/graph/seed", {
    citizen: "felix",
    lines: [
      { node_id: "file", type: "Code_Reference", file_path: `src/${HOSTILE}.rs`, description: LONG },
      { node_id: "felix", type: "Citizen", name: SCRIPT, role: SCRIPT },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  });
  keeper.model.script(
    calls("memory.record_node", { node_id: "n", node: { type: "Person", name: HOSTILE } }),
    says("As you wish."),
  );
  await keeper.api("POST", "/start-epoch", {
    message: `a second message ${HOSTILE}`,
    citizen: "felix",
    sender: "mallory",
    interactive: true,
  });
  const shown: [path: string, words: RegExp][] = [
    ["/", /a second message/],
    ["/chat/felix", /an answer/],
    ["/chat/felix?q=message", /a message/],
    ["/timeline", /a second message/],
    ["/timeline?rows=lines", /a second message/],
    ["/timeline?agent=felix&view=lines", /a second message/],
    ["/cortex/felix?tab=knowledge", /a fact/],
    ["/cortex/felix?tab=graph&node=file", /\.rs/],
    ["/agents?agent=felix", /a wake/],
    ["/settings", /felix/],
  ];
  for (const [path, words] of shown) {
    const page = await app.open(path);
    await expect(page.getByText(/^Reading /)).toHaveCount(0);
    await expect(page.getByText(words).first()).toBeAttached();
    await isUnharmed(page, path);
    await page.setViewportSize({ width: 390, height: 844 });
    await isNarrow(page, path);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  const page = await app.open("/chat/felix");
  await expect(page.getByRole("alertdialog")).toContainText(SCRIPT);
  for (const card of await page.getByTestId("tool-card").all()) await card.locator("summary").click();
  await expect(page.getByLabel("Arguments of stdout")).toContainText(SCRIPT);
  await isUnharmed(page, "open tool cards");
  await page.getByRole("button", { name: "Context" }).first().click();
  await expect(page.getByText(/tokens, estimated/)).toBeVisible();
  await isUnharmed(page, "the context");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("bold");
  await expect(page.getByRole("option", { name: /Talk to Felix <b>bold<\/b>/ })).toBeVisible();
  await isUnharmed(page, "the palette");
  await page.keyboard.press("Escape");
  await app.open("/stdout?as=@felix");
  await page.getByRole("textbox", { name: "Command" }).fill("\\stdout read: last 5 ---");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("log", { name: "Output" })).toContainText(`a note ${SCRIPT}`);
  await isUnharmed(page, "the console");
  await page.setViewportSize({ width: 390, height: 844 });
  await isNarrow(page, "the console");
  expect(outside).toEqual([]);
});

test("five megabytes hold nothing up, and half of a letter is never shown", async ({ app, keeper }) => {
  test.setTimeout(90_000);
  // About the longest answer that a keeper takes, in marks that open and never close and letters of several halves.
  const open = "**[`~~a> | \u{1F9D1}\u200D\u{1F680}".repeat(3_500);
  keeper.model.script(calls("probe.blob", { bytes: MB5 }), says(open));
  await keeper.say("give me five megabytes", { citizen: "felix" });
  const page = await app.open("/chat/felix");
  const reply = page.getByTestId("reply");
  await expect(reply).toContainText("a>");
  const card = page.getByTestId("tool-card");
  await card.locator("summary").click();
  // A result of that size is not kept: a note of it is, and the card says so.
  await expect(card).toContainText("ethereal");
  await expect(card).toContainText("Kept of its result");
  const letters = await page.locator("main").evaluate((main) => main.textContent ?? "");
  expect(letters.length).toBeLessThan(100_000);
  expect(() => encodeURIComponent(letters)).not.toThrow();
  // A message of that size is refused in words, and nothing of it is lost.
  const field = page.getByRole("textbox", { name: /^Message to/ });
  await field.evaluate((element, size) => {
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set;
    set?.call(element, "m".repeat(size));
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, MB5);
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.locator("form [role=alert]")).toContainText(/longer than/);
  await expect(page.getByRole("article")).toHaveCount(1);
  await field.fill("and a short one");
  keeper.model.script(says("Heard."));
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByTestId("reply").last()).toHaveText("Heard.");
});

// The Deck Forge with a real keeper: a list becomes a deck, cards are moved in every way, an agent proposes and a person reviews.
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { countOf, createDeck, DECK_CONFIG, ELVES, propose, pullCards, seen } from "./deck-life";
import { App, expect, test } from "./keeper";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const PHONE = { width: 390, height: 844 };

test.use({ config: DECK_CONFIG, reducedMotion: "reduce" });
test.describe.configure({ timeout: 120_000 });
test.beforeEach(({ keeper }) => pullCards(keeper));

const cardOf = (page: Page, name: string) => page.locator("[data-card]").filter({ hasText: name });
const zone = (page: Page, name: string) => page.locator(`section[data-zone=${name}]`);
const said = (page: Page) => page.getByTestId("carry-said");

/** A real finger: what the browser itself makes of it, scrolling and its end of a pointer too. */
async function fingerOf(page: Page) {
  const session = await page.context().newCDPSession(page);
  return (type: "touchStart" | "touchMove" | "touchEnd" | "touchCancel", x?: number, y?: number) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: x === undefined ? [] : [{ x, y: y ?? 0 }],
    });
}

/** Waits until what was flung stands still; gives where it is. */
async function toRest(what: Locator): Promise<number> {
  let last = Number.NaN;
  await expect
    .poll(async () => {
      const before = last;
      last = (await what.boundingBox())?.y ?? Number.NaN;
      return last - before;
    })
    .toBe(0);
  return last;
}

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return found.violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
  );
}

async function isWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

test("a list becomes a deck; what was not understood is shown, and what is wrong stands at its card", async ({
  app,
}) => {
  const page = await app.open("/");
  for (const key of ["g", "d"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(/\/decks$/);
  await expect(page.getByRole("button", { name: "New deck" })).toBeVisible();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New deck" });
  await dialog.getByLabel("Name").fill("Elves <b>of</b> the wood");
  await dialog.getByLabel(/^Cards/).fill(ELVES);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Elves <b>of</b> the wood" })).toBeVisible();
  await expect(page.getByTestId("unread")).toContainText("1 Blitzschlag");
  await expect(zone(page, "commander")).toContainText("Ezuri, Renegade Leader");
  await expect(zone(page, "main").getByRole("heading", { level: 3 }).last()).toContainText("Lands");
  const bolt = zone(page, "main").getByRole("listitem").filter({ hasText: "Lightning Bolt" });
  await expect(bolt).toContainText(/red/i);
  await expect(page.getByRole("region", { name: "Legality" })).toContainText("not legal");
  await page.getByRole("button", { name: "show Lightning Bolt" }).click();
  await expect(cardOf(page, "Lightning Bolt")).toBeFocused();
  // It is there for the next page too, and in the list.
  await page.getByRole("link", { name: "all decks" }).click();
  await expect(page.getByRole("list", { name: "Decks" })).toContainText("Ezuri, Renegade Leader");
});

test("a card moves by its menu, by keys and by the pointer, counts change, and each is taken back", async ({
  app,
  keeper,
}) => {
  const { deck_id } = await createDeck(keeper);
  const page = await app.open(`/decks/${deck_id}`);
  const where = async (name: string, place: string) =>
    expect(zone(page, place).locator("[data-card]").filter({ hasText: name })).toHaveCount(1);

  await page.getByRole("button", { name: "Move to… (Forest Bear)" }).click();
  await page.getByRole("menuitem", { name: "Move to Maybeboard" }).click();
  await where("Forest Bear", "maybeboard");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await where("Forest Bear", "main");

  await cardOf(page, "Arcane Signet").focus();
  await page.keyboard.press("Space");
  await expect(said(page)).toHaveText(/^Arcane Signet picked up from Deck/);
  await page.keyboard.press("ArrowRight");
  await expect(said(page)).toHaveText(/^Maybeboard, place/);
  await page.keyboard.press("Escape");
  await expect(said(page)).toHaveText("Arcane Signet stays in Deck.");
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await where("Arcane Signet", "sideboard");
  await expect(cardOf(page, "Arcane Signet")).toBeFocused();

  await cardOf(page, "Birthing Pod").scrollIntoViewIfNeeded();
  const from = await cardOf(page, "Birthing Pod").boundingBox();
  if (!from) throw new Error("the card is not in sight");
  await page.mouse.move(from.x + 60, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 90, from.y + 40, { steps: 4 });
  const bar = page.getByTestId("drop-bar");
  await bar.getByText("Maybeboard").hover();
  await expect(bar.locator("[data-over]")).toHaveText("Maybeboard");
  await page.mouse.up();
  await where("Birthing Pod", "maybeboard");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await cardOf(page, "Forest").filter({ hasText: "30" }).focus();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("+");
  await expect(cardOf(page, "Forest").filter({ hasText: "33" })).toBeVisible();
  await expect(page.getByText("Forest: 33", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(cardOf(page, "Forest").filter({ hasText: "32" })).toBeVisible();
  expect(countOf(await seen(keeper, deck_id), "Forest")).toBe(32);

  // The history has all of it, and takes back what is older too.
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByRole("list", { name: /^Revisions/ })).toContainText("Forest: 32 → 33");
  await page
    .locator("li[data-rev]")
    .filter({ hasText: "Birthing Pod" })
    .getByRole("button", { name: /^Undo/ })
    .click();
  await expect.poll(async () => countOf(await seen(keeper, deck_id), "Birthing Pod")).toBe(1);
});

test("a finger scrolls at once, and picks up after it rested", async ({ browser, keeper }) => {
  const { deck_id } = await createDeck(keeper);
  const context = await browser.newContext({ viewport: PHONE, hasTouch: true, isMobile: true });
  await keeper.admit(context);
  const page = await context.newPage();
  await new App(page, keeper).open(`/decks/${deck_id}`);
  const touch = await fingerOf(page);
  const card = cardOf(page, "Bloom Tender");
  await card.scrollIntoViewIfNeeded();
  const box = await card.boundingBox();
  if (!box) throw new Error("the card is not in sight");
  const [x, y] = [box.x + 120, box.y + 15];

  await touch("touchStart", x, y);
  await touch("touchMove", x, y - 30);
  await touch("touchMove", x, y - 90);
  await touch("touchEnd");
  await expect(page.getByTestId("drop-bar")).toHaveCount(0);
  expect((await card.boundingBox())?.y).toBeLessThan(box.y);

  // What was flung glides on for a while, maybe out of sight.
  await toRest(card);
  await card.scrollIntoViewIfNeeded();
  const at = await toRest(card);
  await touch("touchStart", x, at + 15);
  await expect(page.getByTestId("drop-bar")).toBeVisible();
  await touch("touchEnd");
  await expect(page.getByTestId("drop-bar")).toHaveCount(0);
  await context.close();
});

test("a finger carries a card to a place and drops it there, and the page stands still meanwhile", async ({
  browser,
  keeper,
}) => {
  const { deck_id } = await createDeck(keeper);
  const context = await browser.newContext({ viewport: PHONE, hasTouch: true, isMobile: true });
  await keeper.admit(context);
  const page = await context.newPage();
  await new App(page, keeper).open(`/decks/${deck_id}`);
  const touch = await fingerOf(page);
  const card = cardOf(page, "Bloom Tender");
  await card.scrollIntoViewIfNeeded();
  const box = await card.boundingBox();
  if (!box) throw new Error("the card is not in sight");
  const [x, y] = [box.x + 120, box.y + 15];

  const bar = page.getByTestId("drop-bar");
  const middleOf = async (place: string) => {
    const at = await bar.locator(`[data-zone=${place}]`).boundingBox();
    if (!at) throw new Error(`${place} is not in sight`);
    return [at.x + at.width / 2, at.y + at.height / 2] as const;
  };
  const slide = async (to: readonly [number, number]) => {
    for (let step = 1; step <= 10; step += 1)
      await touch("touchMove", x + ((to[0] - x) * step) / 10, y + ((to[1] - y) * step) / 10);
  };

  // Over its own place it stays.
  await touch("touchStart", x, y);
  await expect(bar).toBeVisible();
  await slide(await middleOf("main"));
  await expect(bar.locator("[data-over]")).toContainText("Deck");
  await touch("touchEnd");
  await expect(said(page)).toHaveText("Bloom Tender stays in Deck.");

  await touch("touchStart", x, y);
  await expect(bar).toBeVisible();
  await slide(await middleOf("maybeboard"));
  await expect(bar.locator("[data-over]")).toHaveText("Maybeboard");
  expect((await card.boundingBox())?.y).toBe(box.y);
  await touch("touchEnd");
  await expect(bar).toHaveCount(0);
  await expect(
    zone(page, "maybeboard").locator("[data-card]").filter({ hasText: "Bloom Tender" }),
  ).toHaveCount(1);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect.poll(async () => countOf(await seen(keeper, deck_id), "Bloom Tender", "maybeboard")).toBe(1);

  // What the browser takes from the finger, such as by a second one, puts the card back.
  const pod = cardOf(page, "Birthing Pod");
  await pod.scrollIntoViewIfNeeded();
  const at = await pod.boundingBox();
  if (!at) throw new Error("the card is not in sight");
  await touch("touchStart", at.x + 120, at.y + 15);
  await expect(bar).toBeVisible();
  await touch("touchCancel");
  await expect(bar).toHaveCount(0);
  // The next tap shows a card, and carries nothing.
  await pod.tap();
  await expect(page.getByRole("dialog")).toContainText("Birthing Pod");
  await context.close();
});

test("an agent proposes and a person reviews it by keys alone", async ({ app, keeper }) => {
  const { deck_id } = await createDeck(keeper);
  const page = await app.open(`/decks/${deck_id}`);
  await propose(keeper, deck_id);
  // It comes by itself.
  await expect(page.getByRole("tab", { name: /Review 5/ })).toBeVisible();
  await page.keyboard.press("2");
  const effect = page.getByTestId("effect");
  await expect(effect).toHaveAttribute("data-lines", "5");
  await page.keyboard.press("j");
  await expect(page.getByTestId("position")).toHaveText("2 of 5");
  await expect(page.getByRole("checkbox", { name: /^Swap 1 × Forest Bear/ })).toBeFocused();
  await page.keyboard.press("Space");
  await expect(effect).toHaveAttribute("data-lines", "4");
  await page.keyboard.press("x");
  await page.keyboard.press("x");
  await expect(effect).toHaveAttribute("data-lines", "4");

  // The third is not wanted, and says why.
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  await page.getByLabel(/^Why/).fill("no colourless lands here");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-line='3']")).toHaveAttribute("data-state", "refused");
  await expect(page.locator("[data-line='3']")).toContainText("no colourless lands here");

  // The fifth is rewritten.
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: "Rewrite the line" });
  await dialog.getByLabel("How many").fill("31");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-line='5']")).toContainText("Set Forest to 31");
  await expect(page.locator("[data-line='5']")).toContainText("wrote: Set Forest to 32");
  await expect(dialog).toHaveCount(0);

  await page.keyboard.press("a");
  for (const id of [1, 4, 5])
    await expect(page.locator(`[data-line='${id}']`)).toHaveAttribute("data-state", "taken");
  await expect(page.locator("[data-line='2']")).toHaveAttribute("data-state", "open");
  const after = await seen(keeper, deck_id);
  expect([
    countOf(after, "Lightning Bolt"),
    countOf(after, "Golden Egg"),
    countOf(after, "Forest"),
    countOf(after, "Wastes"),
  ]).toEqual([0, 1, 31, 0]);
  // One act, one way back: the lines are open again.
  await page.keyboard.press("u");
  await expect(page.locator("[data-line='1']")).toHaveAttribute("data-state", "open");
  expect(countOf(await seen(keeper, deck_id), "Lightning Bolt")).toBe(1);
});

test("what another changed meanwhile is told, the ticks stay, and the rest can be approved", async ({
  app,
  keeper,
}) => {
  const { deck_id, rev } = await createDeck(keeper);
  await propose(keeper, deck_id);
  const page = await app.open(`/decks/${deck_id}?tab=review`);
  await page.getByRole("checkbox", { name: /^Add 1 × Wastes/ }).uncheck();
  // The page hears of the change only after the person has pressed.
  let release = () => {};
  const released = new Promise<void>((go) => {
    release = go;
  });
  await page.route("**/deck/state?*", async (route) => {
    await released;
    await route.continue();
  });
  const bolt = (await seen(keeper, deck_id)).cards.find((card) => card.name === "Lightning Bolt");
  await keeper.api("POST", "/deck/edit", {
    deck_id,
    deck_rev: rev,
    ops: [{ op: "remove", entry: { card: { id: bolt?.oracle_id, name: "Lightning Bolt" } }, count: 1 }],
  });
  await page.keyboard.press("a");
  await expect(page.getByTestId("conflict")).toContainText("Remove 1 × Lightning Bolt");
  release();
  await expect(page.locator("[data-line='1']")).toHaveAttribute("data-state", "stale");
  await expect(page.getByRole("checkbox", { name: /^Add 1 × Wastes/ })).not.toBeChecked();
  await expect(page.getByTestId("effect")).toHaveAttribute("data-lines", "3");
  await page.getByRole("button", { name: "Understood" }).click();
  await page.keyboard.press("a");
  for (const id of [2, 4, 5])
    await expect(page.locator(`[data-line='${id}']`)).toHaveAttribute("data-state", "taken");
  await expect(page.locator("[data-line='3']")).toHaveAttribute("data-state", "open");
});

test("two pages show the same, and what one rejects whole the other sees and can open again", async ({
  app,
  keeper,
  context,
}) => {
  const { deck_id } = await createDeck(keeper);
  await propose(keeper, deck_id);
  const path = `/decks/${deck_id}?tab=review`;
  const page = await app.open(path);
  const other = await context.newPage();
  await new App(other, keeper).open(path);
  await other.getByRole("button", { name: "Reject more than a line" }).click();
  await other.getByRole("menuitem", { name: /^Reject the whole proposal/ }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
  await expect(page.locator("[data-state=refused]")).toHaveCount(5);
  await expect(page.getByRole("button", { name: /^Approve/ })).toHaveCount(0);
  await other.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.locator("[data-state=open]")).toHaveCount(5);
});

test("a keeper that is killed in a review loses nothing, and the page goes on where it was", async ({
  app,
  keeper,
}) => {
  const { deck_id } = await createDeck(keeper);
  await propose(keeper, deck_id);
  const page = await app.open(`/decks/${deck_id}?tab=review`);
  await page.getByRole("checkbox", { name: /^Add 1 × Wastes/ }).uncheck();
  await keeper.down("SIGKILL");
  await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "offline");
  await page.keyboard.press("a");
  await expect(page.getByText("The lines were not approved", { exact: true })).toBeVisible();
  await expect(page.locator("[data-state=open]")).toHaveCount(5);
  await keeper.up();
  await app.live();
  await expect(page.getByRole("checkbox", { name: /^Add 1 × Wastes/ })).not.toBeChecked();
  await page.keyboard.press("a");
  await expect(page.locator("[data-state=taken]")).toHaveCount(4);
  expect(countOf(await seen(keeper, deck_id), "Wastes")).toBe(0);
});

test("a card's text stands where its picture cannot be had", async ({ app, keeper }) => {
  const { deck_id } = await createDeck(keeper);
  const page = await app.open(`/decks/${deck_id}`);
  await page.route("**/cards/*/image?*", (route) =>
    route.fulfill({ status: 503, json: { error: { code: "unavailable", message: "offline" } } }),
  );
  await cardOf(page, "Primeval Titan").hover();
  const tip = page.getByRole("tooltip");
  await expect(tip).toContainText("Creature — Giant");
  await page.keyboard.press("Escape");
  await expect(tip).toHaveCount(0);
  await cardOf(page, "Primeval Titan").focus();
  await page.keyboard.press("ArrowDown");
  await expect(tip).toBeVisible();
});

test("a deck is forked, compared, exported and talked about", async ({ app, keeper }) => {
  const { deck_id } = await createDeck(keeper);
  const page = await app.open(`/decks/${deck_id}`);
  const more = () => page.getByRole("button", { name: "More about the deck" }).click();
  await more();
  await page.getByRole("menuitem", { name: "Export…" }).click();
  await expect(page.getByLabel("The list")).toHaveValue(/1 Sol Ring \(C21\) 263/);
  await page.keyboard.press("Escape");
  await more();
  await page.getByRole("menuitem", { name: "Fork…" }).click();
  await page.getByLabel("Name").fill("Elves, cheaper");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Elves, cheaper" })).toBeVisible();
  await cardOf(page, "Sol Ring").focus();
  await page.keyboard.press("-");
  await expect(cardOf(page, "Sol Ring")).toHaveCount(0);
  await more();
  await page.getByRole("menuitem", { name: "Compare…" }).click();
  await page.getByLabel("The other deck").selectOption({ label: "Elves of the Deep Wood" });
  await expect(page.getByRole("dialog").getByRole("row", { name: /Sol Ring/ })).toContainText("–");
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("sol ri");
  await expect(page.getByRole("option", { name: /Sol Ring/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(cardOf(page, "Sol Ring")).toHaveCount(1);
  // Beside it, the agent; at first it works on the other deck.
  await page.getByRole("button", { name: "Load this deck" }).click();
  await expect(page.getByText("works on this deck", { exact: true })).toBeVisible();
  await app.send("what do you think?");
  await expect(page.getByTestId("reply")).toBeVisible();
});

test("no axe violation on a desk and on a phone, and nothing wider than the screen", async ({
  app,
  keeper,
}) => {
  test.setTimeout(300_000);
  const { deck_id } = await createDeck(keeper);
  await propose(keeper, deck_id);
  const page = app.page;
  for (const size of [{ width: 1440, height: 900 }, PHONE]) {
    await page.setViewportSize(size);
    for (const path of [
      "/decks",
      `/decks/${deck_id}`,
      ...["review", "history", "figures", "chat"].map((tab) => `/decks/${deck_id}?tab=${tab}`),
    ]) {
      await app.open(path);
      await expect(page.getByText(/^Reading /)).toHaveCount(0);
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      expect(await violations(page), `${path} at ${size.width}`).toEqual([]);
      expect(await isWide(page), `${path} at ${size.width} scrolls sideways`).toBe(false);
    }
  }
  await app.open(`/decks/${deck_id}`);
  await cardOf(page, "Bloom Tender").click();
  expect(await violations(page), "a card").toEqual([]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await cardOf(page, "Bloom Tender").focus();
  await page.keyboard.press("Space");
  expect(await violations(page), "a carried card").toEqual([]);
});

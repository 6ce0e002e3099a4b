// Draws the screens for docs/screens/: `npm run screens`. What it shows is held by the other tests; here only that each picture is
// there, small, and of a page that said no error.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { createDeck, DECK_CONFIG, LONG_LIST, propose, pullCards } from "./deck-life";
import { compared, lived } from "./evolution-life";
import { Keeper, serveTree } from "./keeper";
import { live } from "./life";
import { COLLECTION, musicConfig, scanned } from "./music-life";
import { small } from "./small-png";
import { StoryClock } from "./story-clock";
import { StoryServer } from "./story-server";

const FOLDER = process.env.SCREENS ?? fileURLToPath(new URL("../../docs/screens/", import.meta.url));
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const PICTURE_KB_MAX = 200;
const ALL_KB_MAX = 4 * 1024;
/** Of these, those of Evolution. */
const EVOLUTION_KB_MAX = 512;
/** And those of the Deck Forge. */
const DECKS_KB_MAX = 768;
/** And those of the music. */
const MUSIC_KB_MAX = 512;

test.use({ colorScheme: "dark", contextOptions: { reducedMotion: "reduce" }, deviceScaleFactor: 1 });

/** Draws one page at both sizes. */
class Camera {
  #kb = 0;

  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  get kb(): number {
    return this.#kb;
  }

  async open(path: string, theme = "dark"): Promise<void> {
    await this.page.addInitScript((one) => localStorage.setItem("abide.theme", one), theme);
    await this.page.goto(this.url + path);
    const connection = this.page.getByTestId("connection");
    await expect(connection).toHaveAttribute("data-phase", "live", { timeout: 60_000 });
    await this.settled();
  }

  /** The stream never ends, so the network is never idle: what is still being read says so. */
  async settled(): Promise<void> {
    await expect(this.page.getByText(/^Reading /)).toHaveCount(0);
    await this.page.evaluate(() => document.fonts.ready);
  }

  async draw(name: string, path?: string, theme?: string, ready = async () => {}): Promise<void> {
    for (const size of SIZES) {
      await this.page.setViewportSize(size);
      if (path) await this.open(path, theme);
      else await this.settled();
      await ready();
      await this.#take(`${name}-${size.width}`);
    }
  }

  async #take(name: string): Promise<void> {
    const picture = small(
      await this.page.screenshot({ animations: "disabled", caret: "hide", scale: "css" }),
    );
    const kb = picture.length / 1024;
    expect(kb, `${name}.png is too large`).toBeLessThan(PICTURE_KB_MAX);
    this.#kb += kb;
    await writeFile(`${FOLDER}${name}.png`, picture);
  }
}

test("the screens", async ({ page, context }) => {
  test.setTimeout(300_000);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // A command with a mistake is refused, and the browser says so.
    if (message.type() === "error" && !/status of 422/.test(message.text())) errors.push(message.text());
  });
  await mkdir(FOLDER, { recursive: true });
  for (const old of await readdir(FOLDER)) if (old.endsWith(".png")) await rm(`${FOLDER}${old}`);
  const kb = await first(context);
  const life = await live();
  await life.server.keeper.admit(context);
  await page.clock.setFixedTime(life.now);
  const camera = new Camera(page, life.server.url);
  await working(camera);
  await life.finish();
  await quiet(camera);
  await page.close();
  await life.end();
  expect(errors).toEqual([]);
  expect(kb + camera.kb, "the pictures are too large together").toBeLessThan(
    ALL_KB_MAX - EVOLUTION_KB_MAX - DECKS_KB_MAX - MUSIC_KB_MAX,
  );
});

// Of a keeper that a search and another model can be tried on: `-g Evolution` draws these alone.
test("the screens of Evolution", async ({ page, context }) => {
  test.setTimeout(600_000);
  const keeper = await lived();
  await keeper.admit(context);
  const camera = new Camera(page, keeper.url);
  await keeper.api("POST", "/evolutions/search", { seed: 7, generations: 500, population: 1000 });
  const search = "/cortex/felix?tab=evolution&searches=true";
  const searching = async () => {
    await expect(page.getByText("The best so far scores")).toBeVisible({ timeout: 60_000 });
  };
  await camera.draw("search-running", search, "dark", searching);
  await keeper.api("POST", "/evolutions/search/stop", {});
  await expect(page.getByText("It was stopped.")).toBeVisible();
  await keeper.api("POST", "/evolutions/search", { seed: 7, generations: 10, population: 24 });
  await camera.draw("search", search, "dark", async () => {
    await expect(page.getByRole("link", { name: "See the proposed change" })).toBeVisible({
      timeout: 90_000,
    });
  });
  const id = await compared(keeper);
  const report = `/cortex/felix?tab=evolution&change=${id}&report=true`;
  await camera.draw("report", report, "dark", async () => {
    await expect(page.getByRole("heading", { name: "Side by side", exact: true })).toBeVisible();
  });
  await camera.draw("report-answers", report, "dark", async () => {
    await page.getByRole("heading", { name: "A judge's advice" }).waitFor();
    const answer = page.locator("details").filter({ hasText: "It declines" }).first();
    await answer.locator("summary").click();
    await page.getByRole("heading", { name: "A judge's advice" }).evaluate((head) => head.scrollIntoView());
  });
  await page.close();
  await keeper.end();
  expect(camera.kb, "these pictures are too large together").toBeLessThan(EVOLUTION_KB_MAX);
});

// Of a keeper that knows cards: `-g Decks` draws these alone. No picture of a card is fetched, so its text stands there.
test("the screens of Decks", async ({ page, context }) => {
  test.setTimeout(300_000);
  const keeper = await Keeper.start(DECK_CONFIG);
  await pullCards(keeper);
  const { deck_id } = await createDeck(keeper, "Ezuri's wood", LONG_LIST);
  await createDeck(
    keeper,
    "Relentless",
    "Commander\n1 Drana, Kalastria Bloodchief\n\nDeck\n40 Relentless Rats\n36 Swamp",
  );
  await keeper.api("POST", "/deck/load", { deck_id, citizen: "felix" });
  const plan = [
    { op: "remove", card: "Birthing Pod" },
    { op: "swap", card: "Golden Egg", into: "Squee, Dubious Monarch" },
    { op: "add", card: "Wastes", count: 1 },
    { op: "move", card: "The Everforger", zone: "maybeboard", to: "main" },
    { op: "set_count", card: "Forest", count: 73 },
  ];
  await propose(keeper, deck_id, plan, "The pod has little to fetch here, and a Wastes costs nothing.");
  await keeper.admit(context);
  const camera = new Camera(page, keeper.url);
  await camera.draw("decks", "/decks");
  await camera.draw("deck", `/decks/${deck_id}`);
  await camera.draw("deck-review", `/decks/${deck_id}?tab=review`, "dark", async () => {
    await page.keyboard.press("j");
    await expect(page.getByTestId("effect")).toHaveAttribute("data-lines", "5");
  });
  await camera.draw("deck-review-light", `/decks/${deck_id}?tab=review`, "light");
  await camera.draw("deck-card", `/decks/${deck_id}`, "dark", async () => {
    await page.locator("[data-card]").filter({ hasText: "Primeval Titan" }).click();
  });
  await page.close();
  await keeper.end();
  expect(camera.kb, "these pictures are too large together").toBeLessThan(DECKS_KB_MAX);
});

// Of a keeper with generated files in its music folder and a player that makes no sound: `-g Music` draws these alone.
test("the screens of Music", async ({ page, context }) => {
  test.setTimeout(300_000);
  const keeper = await Keeper.start(musicConfig(COLLECTION));
  const ids = await scanned(keeper, COLLECTION.length);
  const all = COLLECTION.map((one) => ids.get(one.title ?? ""));
  await keeper.api("POST", "/music/playlists", { name: "Late at night", tracks: all.slice(3, 9) });
  await keeper.api("POST", "/music/playlists", { name: "While it compiles", tracks: all.slice(0, 3) });
  await keeper.api("POST", "/control-media", { action: "play", tracks: all });
  await keeper.api("POST", "/control-media", { action: "seek", position_s: 71 });
  await keeper.api("POST", "/control-media", { action: "pause" });
  await keeper.admit(context);
  const camera = new Camera(page, keeper.url);
  const shown = async () => {
    await page.getByTestId("music-bar").waitFor();
    await page.waitForFunction(() => [...document.images].every((one) => one.complete));
  };
  await camera.draw("music", "/media", "dark", shown);
  await camera.draw("music-albums", "/media?tab=albums", "dark", shown);
  await camera.draw("music-playlist", "/media?tab=playlists&playlist=0", "light", shown);
  await camera.draw("music-player", "/chat/felix", "dark", async () => {
    await page.getByRole("button", { name: /^Open the player/ }).click();
    await expect(page.getByRole("dialog").getByRole("list", { name: "Queue" })).toBeVisible();
    await shown();
  });
  await page.close();
  await keeper.end();
  expect(camera.kb, "these pictures are too large together").toBeLessThan(MUSIC_KB_MAX);
});

/** A first start: nobody signed in, and then a keeper without a past. */
async function first(context: BrowserContext): Promise<number> {
  const clock = new StoryClock();
  clock.at("2026-03-12T09:00:00Z");
  const keeper = await Keeper.start('[irc]\nlisten = "off"\n');
  const server = await StoryServer.start(keeper, clock);
  await serveTree(context);
  const page = await context.newPage();
  await page.clock.setFixedTime(clock.stop());
  const camera = new Camera(page, server.url);
  await page.goto(server.url);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await camera.draw("sign-in");
  await keeper.admit(context);
  await camera.draw("first-start", "/");
  await camera.draw("first-chat", "/chat/felix");
  await page.close();
  await context.clearCookies();
  await server.stop();
  await keeper.end();
  return camera.kb;
}

/** While Felix speaks, Iris waits for a person, and Otto is silent. */
async function working(camera: Camera): Promise<void> {
  for (const [suffix, theme] of [
    ["", "dark"],
    ["-light", "light"],
    ["-contrast", "contrast"],
  ] as const) {
    await camera.draw(`home${suffix}`, "/", theme);
    await camera.draw(`chat${suffix}`, "/chat/felix", theme);
  }
}

/** Afterwards. */
async function quiet(camera: Camera): Promise<void> {
  const { page } = camera;
  await camera.draw("approval", "/chat/iris");
  await camera.draw("tools", "/chat/felix", "dark", async () => {
    await page.locator("summary").filter({ hasText: "Thought" }).last().click();
    await page.getByTestId("tool-card").last().locator("summary").click();
    await page.getByRole("log").evaluate((log) => {
      const last = log.querySelector("article:last-of-type");
      if (last) log.scrollTop += last.getBoundingClientRect().top - log.getBoundingClientRect().top - 16;
    });
  });
  await camera.draw("identity", "/cortex/felix");
  await camera.draw("knowledge", "/cortex/felix?tab=knowledge");
  await camera.draw("graph", "/cortex/felix?tab=graph&node=felix");
  await camera.open("/cortex/felix?tab=dreams");
  await page.getByRole("button", { name: /^Two gauges/ }).click();
  await camera.draw("dreams");
  await camera.draw("sleep", "/cortex/felix?tab=sleep");
  await camera.draw("agents", "/agents");
  await camera.open("/agents");
  await page.getByRole("link", { name: "Felix", exact: true }).click();
  await camera.draw("agent");
  await camera.draw("watchdog", "/watchdog");
  await consoled(camera);
  await camera.draw("settings", "/settings");
  await camera.open("/chat/felix");
  await page.getByRole("button", { name: "Context" }).last().click();
  await expect(page.getByText(/tokens, estimated/)).toBeVisible();
  await camera.draw("context");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a command" }).fill("go to");
  await camera.draw("palette");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keys and help" }).click();
  await camera.draw("help");
  await page.keyboard.press("Escape");
  // The newest of them opened: what took how long.
  await camera.draw("timeline", "/timeline?agent=felix", "dark", async () => {
    const row = page.locator("[data-row]").first();
    if ((await row.getAttribute("aria-expanded")) === "false") await row.click();
    await expect(page.getByRole("list", { name: "What took how long" })).toContainText("turn 2");
  });
}

/** A console in which somebody looked for something, and once misspelt it. */
async function consoled(camera: Camera): Promise<void> {
  const { page } = camera;
  await camera.open("/stdout?as=@otto");
  const field = page.getByRole("textbox", { name: "Command" });
  for (const command of [
    "\\stdout read: last 5 ---",
    "\\stdout query: ?(tikc > 42) ---",
    '\\stdout query: ?(content contains "gauge 3" and not content contains "battery") ---',
  ]) {
    await field.fill(command);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Being carried out")).toHaveCount(0);
  }
  await field.fill("\\std");
  await field.press("Control+Space");
  await camera.draw("stdout");
}

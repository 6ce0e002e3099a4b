// Music with a real keeper and a player that makes no sound: the bar of every screen, the library, playlists, the queue.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { App, expect, Keeper, test } from "./keeper";
import { musicConfig, SONGS, scanned } from "./music-life";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const THEMES = ["dark", "light", "contrast"];
const PHONE = { width: 390, height: 844 };

test.use({ reducedMotion: "reduce" });
test.describe.configure({ timeout: 120_000 });

/** A keeper with music, and the ids of its tracks. */
const music = test.extend<{ ids: Map<string, string> }>({
  keeper: async ({ config }, use) => {
    const keeper = await Keeper.start(musicConfig(SONGS, config || "silent"));
    await use(keeper);
    await keeper.end();
  },
  ids: async ({ keeper }, use) => use(await scanned(keeper, SONGS.length)),
});

const bar = (page: Page) => page.getByTestId("music-bar");
const queue = (page: Page) => page.getByRole("list", { name: "Queue" });
const titles = (page: Page) =>
  queue(page)
    .getByRole("listitem")
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute("aria-posinset")) - Number(b.getAttribute("aria-posinset")))
        .map(
          (row) => row.querySelector("button[aria-label^=More]")?.getAttribute("aria-label")?.slice(9) ?? "",
        ),
    );

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return found.violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
  );
}

async function inAllThemes(page: Page, what: string): Promise<void> {
  for (const theme of THEMES) {
    await page.evaluate((one) => {
      document.documentElement.dataset.theme = one;
    }, theme);
    expect(await violations(page), `${what}, ${theme}`).toEqual([]);
  }
}

async function isWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** Plays all songs in the order of `SONGS`. */
async function playAll(keeper: Keeper, ids: Map<string, string>): Promise<void> {
  const tracks = SONGS.map((song) => ids.get(song.title ?? "untitled"));
  await keeper.api("POST", "/control-media", { action: "play", tracks });
}

test("without music folders there is no bar, and the screen says what to set", async ({ app }) => {
  const page = await app.open("/media");
  await expect(page.getByText("No music is configured")).toBeVisible();
  await expect(page.getByText(/set `folders` under \[media\] in abide\.toml/)).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
});

music.describe("without a player", () => {
  music.use({ config: "off" });
  music("the bar says why nothing can play, and the library works", async ({ app, ids }) => {
    expect(ids.size).toBe(SONGS.length);
    const page = await app.open("/");
    await expect(bar(page)).toHaveAttribute("data-state", "unavailable");
    await expect(bar(page)).toContainText(/set `player` under \[media\]/);
    await expect(bar(page).getByRole("button", { name: "Play", exact: true })).toBeDisabled();
    await app.open("/media");
    await expect(page.getByRole("list", { name: "Tracks" }).getByRole("listitem")).toHaveCount(SONGS.length);
    await expect(page.getByRole("button", { name: "Play Roads" })).toBeDisabled();
    expect(await violations(page)).toEqual([]);
  });
});

music("a track is found, played, paused, and heard of by another page", async ({ app, context, ids }) => {
  expect(ids.size).toBe(SONGS.length);
  const page = await app.open("/");
  await expect(bar(page)).toContainText("Nothing is played");
  for (const key of ["g", "m"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(/\/media$/);
  const tracks = page.getByRole("list", { name: "Tracks" });
  await expect(tracks.getByRole("listitem")).toHaveCount(SONGS.length);
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Search the library" })).toBeFocused();
  await page.keyboard.type("joga");
  await expect(tracks.getByRole("listitem")).toHaveCount(1);
  await expect(page).toHaveURL(/q=joga/);
  await page.getByRole("button", { name: "Play Jóga" }).click();
  await expect(bar(page)).toHaveAttribute("data-state", "playing");
  await expect(bar(page)).toContainText("Björk · Homogenic");
  const cover = bar(page).locator("img");
  await expect.poll(() => cover.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0);
  const told = () =>
    page.evaluate(() => {
      const { metadata, playbackState } = navigator.mediaSession;
      return [metadata?.title, metadata?.artist, metadata?.artwork.length, playbackState];
    });
  await expect.poll(told).toEqual(["Jóga", "Björk", 1, "playing"]);

  const other = await new App(await context.newPage(), app.keeper).open("/chat/felix");
  await expect(bar(other)).toHaveAttribute("data-state", "playing");
  await bar(other).getByRole("button", { name: "Pause" }).click();
  await expect(bar(page)).toHaveAttribute("data-state", "paused");
  // A space in a text is a space; the key of the keyboard for it works there too.
  const box = other.getByRole("textbox", { name: /^Message to/ });
  await box.click();
  await other.keyboard.type("a b");
  await expect(box).toHaveValue("a b");
  await expect(bar(other)).toHaveAttribute("data-state", "paused");
  await other.keyboard.press("MediaPlayPause");
  await expect(bar(page)).toHaveAttribute("data-state", "playing");
  await expect(box).toHaveValue("a b");
  // Neither the bar nor anything else stands over the composer.
  const [composer, below] = await Promise.all([box.boundingBox(), bar(other).boundingBox()]);
  expect((composer?.y ?? 0) + (composer?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
});

music("the place in a track runs, and is set; so is the volume", async ({ app, keeper, ids }) => {
  await playAll(keeper, ids);
  const page = await app.open("/timeline");
  const seek = bar(page).getByRole("slider", { name: "Place in the track" });
  const at = async () => Number(await seek.inputValue());
  await expect.poll(at).toBeGreaterThan(1);
  await seek.fill("40");
  await expect(seek).toHaveAttribute("aria-valuetext", /^4\d seconds of 1 minute/);
  await expect
    .poll(async () => ((await keeper.api("GET", "/media-status")) as { position_s: number }).position_s)
    .toBeGreaterThanOrEqual(40);
  await bar(page).getByRole("slider", { name: "Volume" }).fill("35");
  await expect
    .poll(async () => ((await keeper.api("GET", "/media-status")) as { volume: number }).volume)
    .toBe(35);
  await page.keyboard.press("m");
  await page.keyboard.press("n");
  await expect(bar(page)).toContainText("Hunter");
  await keeper.down();
  await expect(bar(page)).toContainText("does not answer");
  await expect(bar(page).getByRole("button", { name: "Pause" })).toBeDisabled();
  await keeper.up();
  await app.live();
  await expect(bar(page)).toContainText("Hunter");
});

music(
  "the queue is sorted by keys, by the pointer and by a menu, shuffled, repeated and cleared",
  async ({ app, keeper, ids }) => {
    await playAll(keeper, ids);
    const page = await app.open("/media?tab=queue");
    const [joga, hunter, roads, angel] = SONGS.map((song) => song.title ?? "untitled");
    await expect.poll(() => titles(page)).toEqual([joga, hunter, roads, angel, "untitled"]);

    await page.getByRole("button", { name: `Move ${hunter}`, exact: true }).focus();
    await page.keyboard.press("Space");
    const said = page.getByTestId("moved-said");
    await expect(said).toHaveText(/^Hunter picked up, place 2 of 5/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect(said).toHaveText("Hunter, place 4 of 5.");
    await expect(page.getByRole("button", { name: `Move ${hunter}`, exact: true })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect.poll(() => titles(page)).toEqual([joga, hunter, roads, angel, "untitled"]);
    await page.keyboard.press("Space");
    await page.keyboard.press("End");
    await page.keyboard.press("Space");
    await expect(said).toHaveText("Hunter dropped at place 5 of 5.");
    await expect.poll(() => titles(page)).toEqual([joga, roads, angel, "untitled", hunter]);

    const from = await page.getByRole("button", { name: "Move untitled" }).boundingBox();
    const to = await page.getByRole("button", { name: `Move ${roads}` }).boundingBox();
    if (!from || !to) throw new Error("the rows are not there");
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 10, to.y + 10, { steps: 8 });
    await page.mouse.up();
    await expect.poll(() => titles(page)).toEqual([joga, "untitled", roads, angel, hunter]);

    await page.getByRole("button", { name: `More for ${roads}` }).click();
    await page.getByRole("menuitem", { name: "Move down" }).click();
    await expect.poll(() => titles(page)).toEqual([joga, "untitled", angel, roads, hunter]);
    await page.getByRole("button", { name: `More for ${roads}` }).click();
    await page.getByRole("menuitem", { name: "Remove from the queue" }).click();
    await expect.poll(() => titles(page)).toEqual([joga, "untitled", angel, hunter]);

    await page.getByRole("button", { name: "Repeat: off" }).click();
    await expect(page.getByRole("button", { name: "Repeat: the whole queue" })).toBeVisible();
    await page.getByRole("button", { name: "Shuffle", exact: true }).click();
    await expect(page.getByText(/the order can be changed when shuffle is off/)).toBeVisible();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Clear the queue" }).click();
    await expect(page.getByText("The queue is empty")).toBeVisible();
    await expect(bar(page)).toContainText("Nothing is played");
  },
);

music("a playlist is made, filled, sorted, exported, imported, renamed and deleted", async ({ app, ids }) => {
  expect(ids.size).toBe(SONGS.length);
  const page = await app.open("/media");
  const add = async (title: string, into: () => Promise<void>) => {
    await page.getByRole("button", { name: `More for ${title}`, exact: true }).click();
    await page.getByRole("menuitem", { name: "Add to a playlist…" }).click();
    await into();
  };
  const dialog = page.getByRole("dialog", { name: "Add to a playlist" });
  await add("Roads", async () => {
    await dialog.getByLabel("New playlist").fill("Night <i>drive</i>");
    await dialog.getByRole("button", { name: "Create" }).click();
  });
  await expect(dialog).toHaveCount(0);
  await add("Hunter", () => dialog.getByRole("button", { name: /^Night/ }).click());
  await expect(dialog).toHaveCount(0);
  await page.getByRole("tab", { name: "Playlists" }).click();
  await page.getByRole("link", { name: /Night <i>drive<\/i>/ }).click();
  const list = page.getByRole("list", { name: /^Tracks of Night/ });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await page.getByRole("button", { name: "More for Hunter" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  await expect(list.getByRole("listitem").filter({ hasText: "Hunter" })).toHaveAttribute(
    "aria-posinset",
    "1",
  );

  await page.getByRole("button", { name: "More for Roads" }).click();
  await page.getByRole("menuitem", { name: "Remove from the playlist" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(list.getByRole("listitem")).toHaveCount(2);

  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export .m3u8" }).click();
  const path = await (await download).path();
  await page.getByRole("button", { name: "Import…" }).click();
  const importing = page.getByRole("dialog", { name: "Import a playlist" });
  const { readFile } = await import("node:fs/promises");
  const text = `${await readFile(path, "utf8")}/nowhere/gone.mp3\n`;
  await importing.getByLabel("File").setInputFiles({
    name: "copy.m3u8",
    mimeType: "audio/x-mpegurl",
    buffer: Buffer.from(text),
  });
  await importing.getByRole("button", { name: "Import", exact: true }).click();
  const result = page.getByRole("dialog", { name: "2 tracks imported" });
  await expect(result).toContainText("gone.mp3");
  await result.getByRole("button", { name: "Show the playlist" }).click();
  await expect(page.getByRole("list", { name: "Tracks of copy" }).getByRole("listitem")).toHaveCount(2);

  await page.getByRole("button", { name: "Rename the playlist" }).click();
  const naming = page.getByRole("dialog", { name: "Rename the playlist" });
  await naming.getByLabel("Name").fill("Morning");
  await naming.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Morning" })).toBeVisible();
  await page.getByRole("button", { name: "Play", exact: true }).first().click();
  await expect(bar(page)).toContainText("Hunter");
  await page.getByRole("button", { name: "Delete the playlist" }).click();
  await expect(page.getByRole("link", { name: /Morning/ })).toHaveCount(0);
});

music("albums lead to their tracks, and a scan is asked for", async ({ app, ids }) => {
  expect(ids.size).toBe(SONGS.length);
  const page = await app.open("/media?tab=albums");
  await page.getByRole("link", { name: "Homogenic" }).click();
  await expect(page.getByRole("list", { name: "Tracks" }).getByRole("listitem")).toHaveCount(2);
  await page.getByRole("button", { name: "Play the album" }).click();
  await expect(bar(page)).toHaveAttribute("data-state", "playing");
  await page.getByRole("button", { name: "Scan…" }).click();
  await page.getByRole("menuitem", { name: "Read every file again" }).click();
  await expect(page.getByText(/^5 files, scanned/)).toBeVisible();
});

music(
  "no axe violation in any theme, at a desk and on a phone, and nothing wider than the screen",
  async ({ app, keeper, ids }) => {
    await playAll(keeper, ids);
    await keeper.api("POST", "/music/playlists", { name: "Night", tracks: [...ids.values()].slice(0, 3) });
    const page = await app.open("/media");
    for (const path of [
      "/media",
      "/media?tab=albums",
      "/media?tab=playlists&playlist=0",
      "/media?tab=queue",
    ]) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await app.open(path);
      await expect(bar(page)).toHaveAttribute("data-state", "playing");
      await expect(page.getByText(/^Reading /)).toHaveCount(0);
      await inAllThemes(page, path);
      for (const size of [PHONE, { width: 667, height: 375 }, { width: 390, height: 430 }]) {
        await page.setViewportSize(size);
        expect(await isWide(page), `${path} at ${size.width}×${size.height}`).toBe(false);
        if (size === PHONE) expect(await violations(page), `${path} on a phone`).toEqual([]);
      }
    }
    await page.setViewportSize(PHONE);
    await app.open("/chat/felix");
    await expect(bar(page)).toHaveAttribute("data-state", "playing");
    const [box, below] = await Promise.all([
      page.getByRole("textbox", { name: /^Message to/ }).boundingBox(),
      bar(page).boundingBox(),
    ]);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await bar(page)
      .getByRole("button", { name: /^Open the player/ })
      .click();
    const player = page.getByRole("dialog", { name: "Music" });
    await expect(player.getByRole("list", { name: "Queue" })).toBeVisible();
    expect((await player.boundingBox())?.height).toBe(PHONE.height);
    await inAllThemes(page, "the opened player");
    expect(await isWide(page)).toBe(false);
    await page.keyboard.press("Escape");
    await expect(player).toHaveCount(0);
    await expect(bar(page).getByRole("button", { name: /^Open the player/ })).toBeFocused();
  },
);

test("of a long library what is in sight is drawn, and more is read where somebody scrolls", async ({
  app,
  context,
}) => {
  const all = 50_000;
  const scan = { state: "idle", files: all, missing: 0, read: 0, to_read: 0, errors: [], errors_total: 0 };
  let pages = 0;
  await context.route("**/music/library?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))];
    if (limit > 1) pages += 1;
    const items = Array.from({ length: limit }, (_, at) => ({
      id: String(from + at).padStart(32, "0"),
      title: `Track ${from + at}`,
      artist: "many",
      available: true,
    }));
    const next = from + limit < all ? String(from + limit) : null;
    return route.fulfill({ json: { items, next, more: false, scan } });
  });
  const page = await app.open("/media");
  const tracks = page.getByRole("list", { name: "Tracks" });
  await expect(tracks.getByText("Track 0", { exact: true })).toBeVisible();
  await expect(page.getByText("50,000 files")).toBeVisible();
  const toEnd = () => tracks.evaluate((list) => list.parentElement?.scrollTo(0, list.scrollHeight));
  for (let round = 2; round <= 6; round += 1) {
    await toEnd();
    await expect.poll(() => pages).toBeGreaterThanOrEqual(round);
  }
  await expect(async () => {
    await toEnd();
    await expect(tracks.getByText(/^Track 1\d\d\d$/).first()).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(await tracks.getByRole("listitem").count()).toBeLessThan(60);
});

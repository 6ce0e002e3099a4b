import { describe, expect, it, vi } from "vitest";
import type { LibraryScanView, MediaStatusView, MediaTrackView } from "@/api/generated";
import { base64Of } from "./base64";
import { playOrPause } from "./controls";
import { clock, positionAt, spokenTime } from "./position";
import { queueEnd, queuePlaces } from "./queue-part";
import { beforeAt, moved, placeByKey, within } from "./reorder";
import { mediaSearch } from "./search";
import { answerSystem, metadataOf, orderOf, tellPosition } from "./use-media-session";
import { readOn } from "./use-pages";
import { nextRepeat, scanLine, stateLine, trackName, underTitle } from "./words";

const track = (title: string, more: Partial<MediaTrackView> = {}): MediaTrackView => ({
  id: "0".repeat(32),
  title,
  artist: "Björk",
  duration_s: 200,
  ...more,
});

function status(more: Partial<MediaStatusView> = {}): MediaStatusView {
  const entries = [3, 4, 5, 1].map((entry) => ({ entry, track: track(`Track ${entry}`) }));
  return {
    backend: "silent",
    state: "playing",
    entry: 3,
    track: track("Track 3"),
    position_s: 10,
    volume: 80,
    queue: entries,
    queue_total: entries.length,
    repeat: "off",
    shuffle: false,
    players: [],
    why: null,
    ...more,
  };
}

describe("the place in a track", () => {
  it("runs between two looks while it plays, and never past the end", () => {
    expect(positionAt(status(), 1_000, 3_500)).toBe(12.5);
    expect(positionAt(status({ state: "paused" }), 1_000, 3_500)).toBe(10);
    expect(positionAt(status(), 1_000, 1e9)).toBe(200);
    // A clock that was set back, and a track whose length nobody knows.
    expect(positionAt(status(), 5_000, 1_000)).toBe(10);
    expect(positionAt(status({ track: track("a", { duration_s: null }) }), 0, 1e6)).toBe(1_010);
  });
  it("is written and read aloud", () => {
    expect([clock(0), clock(187.9), clock(3_723), clock(null), clock(Number.NaN)]).toEqual([
      "0:00",
      "3:07",
      "1:02:03",
      "–",
      "–",
    ]);
    expect(spokenTime(0)).toBe("0 seconds");
    expect(spokenTime(3_661)).toBe("1 hour 1 minute 1 second");
  });
});

describe("a row that is put elsewhere", () => {
  const ids = [3, 4, 5, 1];
  it("stands before the one behind its place", () => {
    expect(moved(ids, 1, 3)).toEqual([3, 5, 1, 4]);
    expect(beforeAt(ids, 3, 1, null)).toBe(4);
    expect(beforeAt(ids, 1, 2, null)).toBe(1);
    expect(beforeAt(ids, 1, 3, null)).toBeNull();
  });
  it("stands before what is played where it is last in a queue that goes round", () => {
    expect(queueEnd(status({ repeat: "all" }))).toBe(3);
    expect(queueEnd(status())).toBeNull();
    expect(beforeAt(ids, 1, 3, 3)).toBe(3);
  });
  it("goes behind what is played, and not behind what is not shown", () => {
    expect(queuePlaces(status())).toEqual({ first: 1, last: 3 });
    expect(queuePlaces(status({ entry: null }))).toEqual({ first: 0, last: 3 });
    expect(queuePlaces(status({ queue_total: 900 }))).toEqual({ first: 1, last: 2 });
    expect(queuePlaces(status({ shuffle: true }))).toBeNull();
    expect(queuePlaces(status({ queue: [], queue_total: 0 }))).toBeNull();
  });
  it("goes by keys as far as there are places", () => {
    const places = { first: 1, last: 3 };
    expect(within(0, places)).toBe(1);
    expect(placeByKey("ArrowUp", 1, places)).toBe(1);
    expect(placeByKey("ArrowDown", 2, places)).toBe(3);
    expect(placeByKey("End", 1, places)).toBe(3);
    expect(placeByKey("a", 1, places)).toBeNull();
  });
});

describe("words of music", () => {
  it("show what files hide in their tags", () => {
    expect(trackName(track("a\u202eb"))).not.toContain("\u202e");
    expect(trackName({ title: "", artist: "" })).toBe("no title");
    expect(underTitle({ artist: "", album: "Homogenic" })).toBe("unknown artist · Homogenic");
  });
  it("say why nothing is played, and what is old", () => {
    expect(stateLine(status())).toBe("Playing");
    expect(stateLine(status({ state: "unavailable", why: "mpv is missing: install it" }))).toContain(
      "install",
    );
    expect(stateLine(status(), false)).toMatch(/does not answer/);
    expect(stateLine(status({ state: "stopped", track: null }))).toBe("Nothing is played");
  });
  it("tell how far a scan is", () => {
    const scan: LibraryScanView = {
      state: "idle",
      files: 1_200,
      missing: 1,
      read: 0,
      to_read: 0,
      errors: [],
      errors_total: 0,
    };
    expect(scanLine(scan)).toBe("1,200 files, 1 file missing");
    expect(scanLine({ ...scan, state: "scanning", read: 3, to_read: 10 })).toMatch(
      /^Scanning: 3 of 10 files/,
    );
    expect(scanLine({ ...scan, state: "failed", why: "the disc is full" })).toMatch(/the disc is full$/);
  });
  it("go round the three ways to repeat", () => {
    expect([nextRepeat("off"), nextRepeat("all"), nextRepeat("one")]).toEqual(["all", "one", "off"]);
  });
});

describe("the system's controls", () => {
  it("become orders of the player", () => {
    expect(orderOf({ action: "nexttrack" })).toEqual({ action: "next" });
    expect(orderOf({ action: "seekto", seekTime: 12 })).toEqual({ action: "seek", position_s: 12 });
    expect(orderOf({ action: "seekto" })).toBeNull();
    expect(orderOf({ action: "skipad" })).toBeNull();
    expect(playOrPause({ state: "playing" })).toEqual({ action: "pause" });
    expect(playOrPause({ state: "stopped" })).toEqual({ action: "play" });
  });
  it("are set and taken back, and one that a browser does not know is left out", () => {
    const handlers = new Map<string, unknown>();
    const session = {
      metadata: null,
      playbackState: "none" as const,
      setPositionState: vi.fn(),
      setActionHandler: (action: string, handler: unknown) => {
        if (action === "stop") throw new TypeError("unknown");
        handlers.set(action, handler);
      },
    };
    const act = vi.fn();
    const end = answerSystem(session, act);
    (handlers.get("pause") as (details: object) => void)({ action: "pause" });
    expect(act).toHaveBeenCalledWith({ action: "pause" });
    end();
    expect([...handlers.values()].every((one) => one === null)).toBe(true);
    const music = { status: status(), readAt: 0, isHeard: true };
    tellPosition(session, music, 5_000);
    expect(session.setPositionState).toHaveBeenLastCalledWith({
      duration: 200,
      playbackRate: 1,
      position: 15,
    });
    tellPosition(session, { ...music, status: status({ track: null }) }, 0);
    expect(session.setPositionState).toHaveBeenLastCalledWith();
  });
  it("show title, artist and the keeper's cover", () => {
    const music = { status: status({ track: track("Jóga", { cover: "ab" }) }), readAt: 0, isHeard: true };
    expect(metadataOf(music, "http://k")).toEqual({
      title: "Jóga",
      artist: "Björk",
      album: "",
      artwork: [{ src: "http://k/music/covers/ab" }],
    });
  });
});

it("an address gives what is of the form, or nothing", () => {
  expect(mediaSearch({ tab: "queue", playlist: "7", q: "x" })).toEqual({
    tab: "queue",
    q: "x",
    album: undefined,
    playlist: 7,
  });
  expect(mediaSearch({ tab: "evil", playlist: -1, album: {} })).toEqual({
    tab: undefined,
    q: undefined,
    album: undefined,
    playlist: undefined,
  });
});

it("the next page is read near the end alone, one at a time", () => {
  const pages = { hasNextPage: true, isFetching: false, fetchNextPage: vi.fn(async () => {}) };
  const box = (scrollTop: number) => ({ scrollTop, scrollHeight: 10_000, clientHeight: 500 }) as HTMLElement;
  readOn(pages)(box(0));
  expect(pages.fetchNextPage).not.toHaveBeenCalled();
  readOn(pages)(box(9_000));
  readOn({ ...pages, isFetching: true })(box(9_000));
  readOn({ ...pages, hasNextPage: false })(box(9_000));
  expect(pages.fetchNextPage).toHaveBeenCalledTimes(1);
});

it("bytes of any number become base64", () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at % 256);
  expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  expect(base64Of(new Uint8Array())).toBe("");
});

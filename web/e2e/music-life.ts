// Music for tests: generated files in a folder of the home, and a player that makes no sound.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Keeper, type Settings } from "./keeper";

const RATE = 8_000;

export interface MadeTrack {
  file: string;
  title?: string;
  artist?: string;
  album?: string;
  seconds?: number;
}

/** A chunk of a RIFF file. */
function chunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** What a WAV file says of itself: RIFF INFO. */
function info(track: MadeTrack): Buffer {
  const given: [string, string | undefined][] = [
    ["INAM", track.title],
    ["IART", track.artist],
    ["IPRD", track.album],
  ];
  const parts = given.flatMap(([name, value]) =>
    value ? [chunk(name, Buffer.from(`${value}\0`, "utf8"))] : [],
  );
  return parts.length > 0 ? chunk("LIST", Buffer.concat([Buffer.from("INFO"), ...parts])) : Buffer.alloc(0);
}

/** A WAV file of quiet noise that differs by `number`: 8 bits, one channel. */
export function wav(track: MadeTrack, number: number): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(RATE, 4);
  format.writeUInt32LE(RATE, 8);
  format.writeUInt16LE(1, 12);
  format.writeUInt16LE(8, 14);
  const samples = Buffer.alloc((track.seconds ?? 60) * RATE);
  let state = (number + 1) * 2_654_435_761;
  for (let at = 0; at < samples.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    samples[at] = 120 + (state >>> 28);
  }
  const body = Buffer.concat([
    Buffer.from("WAVE"),
    chunk("fmt ", format),
    info(track),
    chunk("data", samples),
  ]);
  return chunk("RIFF", body);
}

/** A configuration with these tracks in its music folder. */
export function musicConfig(tracks: readonly MadeTrack[], player = "silent"): Settings {
  return async (_, home) => {
    const folder = join(home, "music");
    await mkdir(folder, { recursive: true });
    for (const [number, track] of tracks.entries())
      await writeFile(join(folder, track.file), wav(track, number));
    return `[media]\nfolders = ["${folder}"]\nplayer = "${player}"\nother_players = false\n`;
  };
}

interface Page {
  items: { id: string; title: string }[];
  scan: { state: string; files: number };
}

/** Waits until all files are known; gives the ids of the tracks by their titles. */
export async function scanned(keeper: Keeper, files: number): Promise<Map<string, string>> {
  let page: Page | undefined;
  await expect(async () => {
    page = (await keeper.api("GET", "/music/library")) as Page;
    expect(page.scan).toMatchObject({ state: "idle", files });
  }).toPass({ timeout: 30_000 });
  return new Map(page?.items.map((one) => [one.title, one.id]));
}

export const SONGS: readonly MadeTrack[] = [
  { file: "joga.wav", title: "Jóga", artist: "Björk", album: "Homogenic" },
  { file: "hunter.wav", title: "Hunter", artist: "Björk", album: "Homogenic" },
  { file: "roads.wav", title: "Roads", artist: "Portishead", album: "Dummy" },
  { file: "angel.wav", title: "Angel <b>bold</b>", artist: "Massive Attack", album: "Mezzanine" },
  { file: "untitled.wav" },
];

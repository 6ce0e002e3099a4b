// Music for tests: generated files in a folder of the home, and a player that makes no sound.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { expect, type Keeper, type Settings } from "./keeper";

const RATE = 8_000;
/** Of a cover, in pixels. */
const SIDE = 128;

export interface MadeTrack {
  file: string;
  title?: string;
  artist?: string;
  album?: string;
  track?: number;
  year?: number;
  seconds?: number;
}

/** A chunk of a RIFF file. */
function chunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** A number in bytes of seven bits, as ID3 has sizes. */
function syncsafe(n: number): Buffer {
  return Buffer.from([n >> 21, n >> 14, n >> 7, n].map((byte) => byte & 127));
}

function frame(id: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, "latin1"), syncsafe(body.length), Buffer.alloc(2), body]);
}

/** What a WAV file says of itself: ID3 2.4 in UTF-8, with a cover where there is an album. */
function tags(track: MadeTrack): Buffer {
  const given: [string, string | undefined][] = [
    ["TIT2", track.title],
    ["TPE1", track.artist],
    ["TALB", track.album],
    ["TRCK", track.track?.toString()],
    ["TDRC", track.year?.toString()],
  ];
  const frames = given.flatMap(([id, text]) => (text ? [frame(id, Buffer.from(`\u0003${text}`))] : []));
  if (frames.length === 0) return Buffer.alloc(0);
  if (track.album)
    frames.push(frame("APIC", Buffer.concat([Buffer.from("\u0003image/png\0\u0003\0"), cover(track.album)])));
  const all = Buffer.concat(frames);
  return chunk("ID3 ", Buffer.concat([Buffer.from("ID3\u0004\0\0"), syncsafe(all.length), all]));
}

/** A cover: rings whose colours are of the album's name. */
function cover(album: string): Buffer {
  const seed = crc32(album);
  const colour = [seed & 255, (seed >> 8) & 255, (seed >> 16) & 255];
  const rows = Buffer.alloc(SIDE * (1 + SIDE * 3));
  for (let y = 0, at = 0; y < SIDE; y += 1) {
    at += 1;
    for (let x = 0; x < SIDE; x += 1) {
      const ring = Math.floor(Math.hypot(x - SIDE / 2, y - SIDE / 2) / 12) % 2;
      for (const part of colour) rows[at++] = ring === 0 ? part : part >> 1;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const part = (name: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
    const out = Buffer.alloc(body.length + 12);
    out.writeUInt32BE(body.length, 0);
    named.copy(out, 4);
    out.writeUInt32BE(crc32(named), body.length + 8);
    return out;
  };
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    part("IHDR", head),
    part("IDAT", deflateSync(rows)),
    part("IEND", Buffer.alloc(0)),
  ]);
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
    tags(track),
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

/** More of it, for pictures. */
export const COLLECTION: readonly MadeTrack[] = (
  [
    ["Björk", "Homogenic", 1997, ["Hunter", "Jóga", "Unravel", "Bachelorette"]],
    ["Portishead", "Dummy", 1994, ["Mysterons", "Sour Times", "Roads"]],
    ["Massive Attack", "Mezzanine", 1998, ["Angel", "Teardrop", "Inertia Creeps"]],
    ["Nina Simone", "Pastel Blues", 1965, ["Sinnerman", "Strange Fruit"]],
    ["Hildegard von Bingen", "Canticles of Ecstasy", 1994, ["O vis aeternitatis"]],
  ] as [string, string, number, string[]][]
).flatMap(([artist, album, year, titles], a) =>
  titles.map((title, at) => ({
    file: `${a}-${at}.wav`,
    title,
    artist,
    album,
    year,
    track: at + 1,
    seconds: 151 + 23 * at + 11 * a,
  })),
);

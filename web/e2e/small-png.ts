// Makes a picture of a screen smaller: 256 colours in place of 16 million, which on screens of few colours nobody sees. Reads what
// Chromium writes (8 bits, RGB or RGBA, not interlaced) and needs nothing but zlib.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS_MAX = 256;

interface Raster {
  width: number;
  height: number;
  /** A pixel each: red, green and blue as one number. */
  pixels: Uint32Array;
}

/** The same picture in at most 256 colours. */
export function small(png: Buffer): Buffer {
  const raster = read(png);
  const palette = paletteOf(raster.pixels);
  const index = new Map(palette.map((colour, at) => [colour, at]));
  const rows = Buffer.alloc((raster.width + 1) * raster.height);
  for (let y = 0, from = 0, to = 0; y < raster.height; y += 1) {
    to += 1;
    for (let x = 0; x < raster.width; x += 1, from += 1, to += 1) {
      const colour = raster.pixels[from] ?? 0;
      let at = index.get(colour);
      if (at === undefined) {
        at = nearest(palette, colour);
        index.set(colour, at);
      }
      rows[to] = at;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(raster.width, 0);
  head.writeUInt32BE(raster.height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function read(png: Buffer): Raster {
  let head: Buffer = Buffer.alloc(0);
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") head = body;
    if (name === "IDAT") data.push(body);
    at += length + 12;
  }
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const channels = head[9] === 6 ? 4 : 3;
  if (head[8] !== 8 || (head[9] !== 6 && head[9] !== 2) || head[12] !== 0)
    throw new Error("no picture of a screen");
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(data)), width, height, channels) };
}

/** Undoes the filters of the rows. */
function unfiltered(raw: Buffer, width: number, height: number, channels: number): Uint32Array {
  const pixels = new Uint32Array(width * height);
  const stride = width * channels;
  let above: Buffer = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const row = raw.subarray(start + 1, start + 1 + stride);
    const filter = raw[start] ?? 0;
    for (let at = 0; at < stride; at += 1) {
      const a = at >= channels ? (row[at - channels] ?? 0) : 0;
      const b = above[at] ?? 0;
      const c = at >= channels ? (above[at - channels] ?? 0) : 0;
      row[at] = ((row[at] ?? 0) + predicted(filter, a, b, c)) & 255;
    }
    for (let x = 0; x < width; x += 1) {
      const at = x * channels;
      pixels[y * width + x] = ((row[at] ?? 0) << 16) | ((row[at + 1] ?? 0) << 8) | (row[at + 2] ?? 0);
    }
    above = row;
  }
  return pixels;
}

function predicted(filter: number, a: number, b: number, c: number): number {
  if (filter === 1) return a;
  if (filter === 2) return b;
  if (filter === 3) return (a + b) >> 1;
  if (filter !== 4) return 0;
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** The colours that are there most, with those that stand for many rare ones: boxes are halved where they are widest. */
function paletteOf(pixels: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  if (byCount.length <= COLOURS_MAX) return byCount.map(([colour]) => colour);
  // Grounds, lines and plain letters keep their very colours; the rest are the edges of letters.
  const kept = byCount.slice(0, COLOURS_MAX / 2).map(([colour]) => colour);
  let boxes = [byCount.slice(COLOURS_MAX / 2)];
  while (boxes.length < COLOURS_MAX / 2) {
    const widest = boxes.reduce((best, box) => (spread(box).weight > spread(best).weight ? box : best));
    if (widest.length < 2) break;
    const { shift } = spread(widest);
    const sorted = [...widest].sort((a, b) => ((a[0] >> shift) & 255) - ((b[0] >> shift) & 255));
    const middle = sorted.length >> 1;
    boxes = [...boxes.filter((box) => box !== widest), sorted.slice(0, middle), sorted.slice(middle)];
  }
  return [...kept, ...boxes.map(middleOf)];
}

type Box = [colour: number, count: number][];

function spread(box: Box): { shift: number; weight: number } {
  let best = { shift: 16, weight: -1 };
  for (const shift of [16, 8, 0]) {
    let [low, high] = [255, 0];
    for (const [colour] of box) {
      const value = (colour >> shift) & 255;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (high - low > best.weight) best = { shift, weight: high - low };
  }
  return best;
}

function middleOf(box: Box): number {
  const total = box.reduce((sum, [, count]) => sum + count, 0) || 1;
  const mean = (shift: number) =>
    Math.round(box.reduce((sum, [colour, count]) => sum + ((colour >> shift) & 255) * count, 0) / total);
  return (mean(16) << 16) | (mean(8) << 8) | mean(0);
}

function nearest(palette: readonly number[], colour: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [at, one] of palette.entries()) {
    const r = (one >> 16) - (colour >> 16);
    const g = ((one >> 8) & 255) - ((colour >> 8) & 255);
    const b = (one & 255) - (colour & 255);
    const distance = 2 * r * r + 4 * g * g + 3 * b * b;
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
}

function chunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
  const out = Buffer.alloc(body.length + 12);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), body.length + 8);
  return out;
}

/**
 * zstd, where this runtime has it (Node 22.15 or newer): for states over 1 MB. Without it states are sent as they are,
 * and `hello` does not list the capability `zstd`, so that the keeper sends none compressed. What a
 * compressed state declares is read everywhere: nothing is unfolded that says it would grow beyond its cap.
 */
import * as zlib from "node:zlib";

import { asError, InvalidMessage } from "./errors.js";
import { STATE_BYTES_MAX } from "./limits.js";
import { unpack } from "./packing.js";

interface Zstd {
  zstdCompressSync?: (data: Uint8Array) => Uint8Array;
  zstdDecompressSync?: (data: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;
}

const zstd = zlib as Zstd;
const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a5;

const NEEDS_ZSTD = "is compressed, and this runtime has no zstd: Node 22.15 or newer has it";

/** Tells whether states can be compressed and unfolded here. */
export function zstdAvailable(): boolean {
  return typeof zstd.zstdCompressSync === "function" && typeof zstd.zstdDecompressSync === "function";
}

/** Compresses; only to be called where `zstdAvailable`. */
export function compress(data: Uint8Array): Uint8Array {
  if (!zstd.zstdCompressSync) {
    throw new InvalidMessage("compression", "zstd", NEEDS_ZSTD);
  }
  return new Uint8Array(zstd.zstdCompressSync(data));
}

/**
 * Gives the bytes of a compressed field (bytes, or base64 text) after a look at what they declare. Needs no zstd. Throws
 * InvalidMessage with `path`.
 */
export function checkPacked(value: unknown, compression: unknown, path: string): Uint8Array {
  if (compression !== "zstd") {
    throw new InvalidMessage("compression", compression === undefined ? "required" : "value", 'must be "zstd"');
  }
  const packed = typeof value === "string" ? fromBase64(value, path) : value;
  if (!(packed instanceof Uint8Array)) {
    throw new InvalidMessage(path, "type", "must be bytes or base64 text");
  }
  if (declaredBytes(packed, path) > STATE_BYTES_MAX) {
    throw new InvalidMessage(path, "too_large", `unfolds to more than ${STATE_BYTES_MAX} bytes`);
  }
  return packed;
}

/** Gives the value inside a compressed field. Throws InvalidMessage with `path`. */
export function unfold(value: unknown, compression: unknown, path: string): unknown {
  const packed = checkPacked(value, compression, path);
  if (!zstd.zstdDecompressSync) {
    throw new InvalidMessage(path, "zstd", NEEDS_ZSTD);
  }
  let whole: Uint8Array;
  try {
    whole = new Uint8Array(zstd.zstdDecompressSync(packed, { maxOutputLength: STATE_BYTES_MAX }));
  } catch (error) {
    const problem = error instanceof RangeError ? "too_large" : "zstd";
    throw new InvalidMessage(path, problem, `cannot be unfolded: ${asError(error).message}`);
  }
  return unpack(whole);
}

function fromBase64(text: string, path: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw new InvalidMessage(path, "base64", "is not base64");
  }
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** Reads the size that a zstd frame declares; 0 where it declares none. */
function declaredBytes(data: Uint8Array, path: string): number {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const magic = data.length >= 6 ? view.getUint32(0, true) : 0;
  if (magic >>> 4 === SKIPPABLE_MAGIC) {
    return 0;
  }
  const descriptor = data[4] ?? 0;
  const hasWindow = (descriptor & 0x20) === 0;
  const begin = 5 + (hasWindow ? 1 : 0) + [0, 1, 2, 4][descriptor & 0x03]!;
  const width = [hasWindow ? 0 : 1, 2, 4, 8][descriptor >> 6]!;
  if (magic !== ZSTD_MAGIC || data.length < begin + width) {
    throw new InvalidMessage(path, "zstd", "is not zstd");
  }
  switch (width) {
    case 0:
      return 0;
    case 1:
      return view.getUint8(begin);
    case 2:
      return view.getUint16(begin, true) + 256;
    default:
      return width === 4 ? view.getUint32(begin, true) : Number(view.getBigUint64(begin, true));
  }
}

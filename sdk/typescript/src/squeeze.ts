/**
 * zstd, where this runtime has it (Node 22.15 or newer): for states over 1 MB. Without it states are sent as they are,
 * and `hello` does not list the capability `zstd`, so that the keeper sends none compressed.
 */
import * as zlib from "node:zlib";

import { asError, InvalidMessage } from "./errors.js";
import { unpack } from "./frame.js";
import { STATE_BYTES_MAX } from "./limits.js";

interface Zstd {
  zstdCompressSync?: (data: Uint8Array) => Uint8Array;
  zstdDecompressSync?: (data: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;
}

const zstd = zlib as Zstd;

const NEEDS_ZSTD = "is compressed, and this runtime has no zstd: Node 22.15 or newer has it";

/** Tells whether states can be compressed and unfolded here. */
export function zstdAvailable(): boolean {
  return typeof zstd.zstdCompressSync === "function" && typeof zstd.zstdDecompressSync === "function";
}

/** Compresses; only to be called where `zstdAvailable`. */
export function compress(data: Uint8Array): Uint8Array {
  if (!zstd.zstdCompressSync) {
    throw new InvalidMessage("compression", NEEDS_ZSTD);
  }
  return new Uint8Array(zstd.zstdCompressSync(data));
}

/** Gives the value inside a compressed field (bytes, or base64 text). Throws InvalidMessage with `path`. */
export function unfold(value: unknown, compression: unknown, path: string): unknown {
  if (compression !== "zstd") {
    throw new InvalidMessage("compression", 'must be "zstd"');
  }
  if (!zstd.zstdDecompressSync) {
    throw new InvalidMessage(path, NEEDS_ZSTD);
  }
  const packed = typeof value === "string" ? fromBase64(value, path) : value;
  if (!(packed instanceof Uint8Array)) {
    throw new InvalidMessage(path, "must be bytes or base64 text");
  }
  let whole: Uint8Array;
  try {
    whole = new Uint8Array(zstd.zstdDecompressSync(packed, { maxOutputLength: STATE_BYTES_MAX }));
  } catch (error) {
    throw new InvalidMessage(path, `cannot be unfolded: ${asError(error).message}`);
  }
  return unpack(whole);
}

function fromBase64(text: string, path: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw new InvalidMessage(path, "is not base64");
  }
  return new Uint8Array(Buffer.from(text, "base64"));
}

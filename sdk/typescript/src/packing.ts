/**
 * One MessagePack value to bytes and back, within the depth that every message keeps to. Integers beyond 2^53 are bigint,
 * all others number, in both directions. Knows no messages and no fields.
 */
import { ExtData, decode as decodeMsgpack, encode as encodeMsgpack } from "@msgpack/msgpack";

import { asError, InvalidMessage } from "./errors.js";
import { DEPTH_MAX } from "./limits.js";
import { checkShape, type Shape } from "./shape.js";

/** Packs one value, within the depth limit. Throws InvalidMessage. */
export function pack(value: unknown): Uint8Array {
  const packable = forPacking(value, 0);
  try {
    return encodeMsgpack(packable, { useBigInt64: true, ignoreUndefined: true, maxDepth: DEPTH_MAX + 2 });
  } catch (error) {
    throw new InvalidMessage("", "value", `cannot be packed: ${asError(error).message}`);
  }
}

/** Unpacks one value, within the depth limit. Throws InvalidMessage. */
export function unpack(body: Uint8Array): unknown {
  return unpackWithShape(body).value;
}

/** Does the same, and tells what the walk over its bytes saw. */
export function unpackWithShape(body: Uint8Array): { value: unknown; shape: Shape } {
  const shape = checkShape(body);
  const seen = { pairs: 0 };
  let value: unknown;
  try {
    value = smallIntegers(decodeMsgpack(body, { useBigInt64: true }), seen);
  } catch (error) {
    throw new InvalidMessage("", "malformed", `is not MessagePack: ${asError(error).message}`);
  }
  if (seen.pairs !== shape.pairs) {
    checkShape(body, true);
  }
  return { value, shape };
}

/** Tells how deep maps and lists lie inside each other; stops counting one beyond the limit. */
export function depthOf(value: unknown, counted = 0): number {
  if ((!Array.isArray(value) && !isMap(value)) || counted > DEPTH_MAX) {
    return counted;
  }
  return Object.values(value).reduce((most: number, child) => Math.max(most, depthOf(child, counted + 1)), counted + 1);
}

/** Tells a map from lists, bytes and the rest. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value) && !isExtension(value);
}

/** What the decoder makes of extensions: a time, or an object of class and bytes. */
function isExtension(value: object): boolean {
  return value instanceof Date || value instanceof ExtData;
}

/**
 * Gives the value as the encoder must see it: integers over 32 bits as bigint, for it writes a number as a float there,
 * and smaller ones as number, for it writes a bigint in its longest form. Copies only what changes.
 */
function forPacking(value: unknown, depth: number): unknown {
  if (typeof value === "number" || typeof value === "bigint") {
    return packableNumber(value);
  }
  if (!Array.isArray(value) && !isMap(value)) {
    return value;
  }
  if (depth >= DEPTH_MAX) {
    throw new InvalidMessage("", "depth", `is more than ${DEPTH_MAX} levels deep`);
  }
  return changed(value, (child) => forPacking(child, depth + 1));
}

function packableNumber(value: number | bigint): number | bigint {
  const number = Number(value);
  const isSmall = number <= 0xffffffff && number >= -0x80000000;
  if (typeof value === "bigint") {
    return isSmall ? number : value;
  }
  return Number.isSafeInteger(value) && !isSmall ? BigInt(value) : value;
}

/** Undoes the reader's bigint where a number holds the value exactly, and counts the pairs of maps. */
function smallIntegers(value: unknown, seen: { pairs: number }): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value)) {
    return changed(value, (child) => smallIntegers(child, seen));
  }
  if (!isMap(value)) {
    return value;
  }
  seen.pairs += Object.keys(value).length;
  return changed(value, (child) => smallIntegers(child, seen));
}

function changed(value: unknown[] | Record<string, unknown>, change: (child: unknown) => unknown): unknown {
  let copy: Record<string | number, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const child = (value as Record<string, unknown>)[key];
    const other = change(child);
    if (other !== child) {
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
      copy[key] = other;
    }
  }
  return copy ?? value;
}

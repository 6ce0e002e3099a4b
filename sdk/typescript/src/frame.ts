/**
 * Bytes to messages and back: four bytes of length (big-endian), then one MessagePack map. Pure: reads no socket,
 * knows no clock. Never allocates by a promised length; a body over the cap of its type is passed over, not stored.
 *
 * Integers beyond 2^53 are bigint, all others number, in both directions.
 */
import { decode as decodeMsgpack, encode as encodeMsgpack } from "@msgpack/msgpack";

import { asError, BoundaryLost, InvalidMessage, TooLarge } from "./errors.js";
import { bytesMax, DEPTH_MAX, FRAME_BYTES_MAX, PROTOCOL_VERSION, SKIM_BYTES } from "./limits.js";
import { checkShape } from "./shape.js";

/** A message: a map with a `type`. */
export type Message = { type: string } & Record<string, unknown>;
/** What the reader gives: a message, or why a frame is none. */
export type Item = Message | InvalidMessage;

const HEADER_BYTES = 4;

/** Builds a message with what every frame of version 3 carries. Fields that are undefined are left out. */
export function stamped(type: string, fields: Record<string, unknown> = {}): Message {
  const message: Message = { type, version: PROTOCOL_VERSION, timestamp: Math.floor(Date.now() / 1000) };
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) {
      message[name] = value;
    }
  }
  return message;
}

/** Packs a message with its length before it, `type` first. Throws TooLarge over the cap of its type, InvalidMessage. */
export function encode(message: Message): Uint8Array {
  const { type, ...rest } = message;
  const body = pack({ type, ...rest });
  const cap = bytesMax(type);
  if (body.length > cap) {
    throw new TooLarge(type, body.length, cap);
  }
  const frame = new Uint8Array(HEADER_BYTES + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, HEADER_BYTES);
  return frame;
}

/** Packs one value, within the depth limit. */
export function pack(value: unknown): Uint8Array {
  const packable = forPacking(value, 0);
  try {
    return encodeMsgpack(packable, { useBigInt64: true, ignoreUndefined: true, maxDepth: DEPTH_MAX + 2 });
  } catch (error) {
    throw new InvalidMessage("", `cannot be packed: ${asError(error).message}`);
  }
}

/** Unpacks one value, within the depth limit. Throws InvalidMessage. */
export function unpack(body: Uint8Array): unknown {
  checkShape(body);
  try {
    return smallIntegers(decodeMsgpack(body, { useBigInt64: true }));
  } catch (error) {
    throw new InvalidMessage("", `is not MessagePack: ${asError(error).message}`);
  }
}

/** Unpacks a body that is one map with a `type`. Throws InvalidMessage; caps are the reader's business. */
export function decode(body: Uint8Array): Message {
  const value = unpack(body);
  if (!isMap(value)) {
    throw new InvalidMessage("", "must be a map");
  }
  if (typeof value["type"] !== "string") {
    throw new InvalidMessage("type", "must be text");
  }
  return value as Message;
}

/** Tells a map from lists, bytes and the rest. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value) && !(value instanceof Date);
}

/**
 * Gives the value as the encoder must see it: integers over 32 bits as bigint, for it writes a number as a float there.
 * Copies only what changes.
 */
function forPacking(value: unknown, depth: number): unknown {
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && (value > 0xffffffff || value < -0x80000000) ? BigInt(value) : value;
  }
  if (!Array.isArray(value) && !isMap(value)) {
    return value;
  }
  if (depth >= DEPTH_MAX) {
    throw new InvalidMessage("", `is more than ${DEPTH_MAX} levels deep`);
  }
  return changed(value, (child) => forPacking(child, depth + 1));
}

/** Undoes the reader's bigint where a number holds the value exactly. */
function smallIntegers(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  return Array.isArray(value) || isMap(value) ? changed(value, smallIntegers) : value;
}

function changed(value: unknown[] | Record<string, unknown>, change: (child: unknown) => unknown): unknown {
  let copy: Record<string | number, unknown> | undefined;
  for (const [key, child] of Object.entries(value)) {
    const other = change(child);
    if (other !== child) {
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
      copy[key] = other;
    }
  }
  return copy ?? value;
}

/** Reads `type` off the first bytes of a body, when it is the first key, as encoders write it. */
export function skimType(start: Uint8Array): string | undefined {
  const [map, ...key] = start.subarray(0, 6);
  if (map === undefined || map < 0x81 || map > 0x8f || String.fromCharCode(...key) !== "\xa4type") {
    return undefined;
  }
  const head = start[6];
  if (head === undefined || head < 0xa0 || head > 0xbf) {
    return undefined;
  }
  const end = 7 + (head & 0x1f);
  return end <= start.length ? new TextDecoder().decode(start.subarray(7, end)) : undefined;
}

/** Cuts a stream into messages. Feed it whatever arrives. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #length: number | undefined;
  #type: string | undefined;
  #passingOver = 0;

  /** Tells whether an end of the stream now would cut a frame in two. */
  get midFrame(): boolean {
    return this.#waiting > 0 || this.#length !== undefined || this.#passingOver > 0;
  }

  /** Bytes held for a frame that is not whole yet. */
  get heldBytes(): number {
    return this.#waiting;
  }

  /**
   * Takes bytes; gives the messages they complete, and an InvalidMessage for each frame that is none. Throws
   * BoundaryLost for a length over `FRAME_BYTES_MAX`: what follows cannot be trusted to be a frame.
   */
  feed(data: Uint8Array): Item[] {
    if (data.length > 0) {
      this.#chunks.push(data);
      this.#waiting += data.length;
    }
    const items: Item[] = [];
    for (let item = this.#next(); item !== undefined; item = this.#next()) {
      items.push(item);
    }
    return items;
  }

  #next(): Item | undefined {
    if (this.#passingOver > 0) {
      this.#passingOver -= this.#take(Math.min(this.#passingOver, this.#waiting)).length;
      if (this.#passingOver > 0) {
        return undefined;
      }
    }
    if (this.#length === undefined) {
      if (this.#waiting < HEADER_BYTES) {
        return undefined;
      }
      const header = this.#take(HEADER_BYTES);
      const length = new DataView(header.buffer, header.byteOffset).getUint32(0);
      if (length > FRAME_BYTES_MAX) {
        throw new BoundaryLost(`a frame of ${length} bytes is over the limit of ${FRAME_BYTES_MAX}`);
      }
      this.#length = length;
    }
    const length = this.#length;
    const refused = this.#checkCap(length);
    if (refused || this.#waiting < length) {
      return refused;
    }
    const body = this.#take(length);
    this.#length = this.#type = undefined;
    return toItem(body);
  }

  #checkCap(length: number): TooLarge | undefined {
    const skimmed = Math.min(length, SKIM_BYTES);
    if (this.#type !== undefined || this.#waiting < skimmed) {
      return undefined;
    }
    this.#type = skimType(this.#peek(skimmed)) ?? "";
    const cap = this.#type ? bytesMax(this.#type) : FRAME_BYTES_MAX;
    if (length <= cap) {
      return undefined;
    }
    const refused = new TooLarge(this.#type, length, cap);
    this.#passingOver = length;
    this.#length = this.#type = undefined;
    return refused;
  }

  #peek(count: number): Uint8Array {
    const bytes = this.#take(count);
    if (count > 0) {
      this.#chunks.unshift(bytes);
      this.#waiting += count;
    }
    return bytes;
  }

  #take(count: number): Uint8Array {
    this.#waiting -= count;
    const first = this.#chunks[0];
    if (first !== undefined && first.length > count) {
      this.#chunks[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    if (first !== undefined && first.length === count) {
      this.#chunks.shift();
      return first;
    }
    return this.#gather(count);
  }

  #gather(count: number): Uint8Array {
    const whole = new Uint8Array(count);
    let filled = 0;
    let used = 0;
    while (filled < count) {
      const chunk = this.#chunks[used] ?? new Uint8Array(0);
      const part = chunk.subarray(0, count - filled);
      whole.set(part, filled);
      filled += part.length;
      if (part.length < chunk.length) {
        this.#chunks[used] = chunk.subarray(part.length);
      } else {
        used += 1;
      }
    }
    this.#chunks.splice(0, used);
    return whole;
  }
}

function toItem(body: Uint8Array): Item {
  try {
    const message = decode(body);
    const cap = bytesMax(message.type);
    return body.length > cap ? new TooLarge(message.type, body.length, cap) : message;
  } catch (error) {
    if (error instanceof InvalidMessage) {
      return error;
    }
    throw error;
  }
}

/**
 * Bytes to messages and back: four bytes of length (big-endian), then one MessagePack map. Pure: reads no socket,
 * knows no clock. Never allocates by a promised length; a body over the cap of its type is passed over, not stored. What
 * the reader gives is whole and checked.
 */
import { check, FROM_AGENT, type Direction, type Message } from "./check.js";
import { BoundaryLost, InvalidMessage, TooLarge } from "./errors.js";
import { FRAME_BYTES_MAX, PROTOCOL_VERSION, SKIM_BYTES } from "./limits.js";
import { isMap, pack, unpackWithShape } from "./packing.js";

export type { Message } from "./check.js";
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

/**
 * Packs a message with its length before it, `type` first. Throws TooLarge over the cap of its type, InvalidMessage for
 * what the other side would refuse.
 */
export function encode(message: Message, direction: Direction = FROM_AGENT): Uint8Array {
  check(message, direction);
  const { type, ...rest } = message;
  const body = pack({ type, ...rest });
  const cap = direction.bytesMax(type);
  if (body.length > cap) {
    throw new TooLarge(type, body.length, cap);
  }
  return framed(body);
}

/** Puts a body's length before it. */
export function framed(body: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, HEADER_BYTES);
  return frame;
}

/** Unpacks a body that is one message of this direction. Throws InvalidMessage. */
export function decode(body: Uint8Array, direction: Direction): Message {
  const { value, shape } = unpackWithShape(body);
  if (!isMap(value)) {
    throw new InvalidMessage("", "type", "must be a map");
  }
  const type = value["type"];
  const cap = typeof type === "string" ? direction.bytesMax(type) : FRAME_BYTES_MAX;
  if (body.length > cap) {
    throw new TooLarge(String(type).slice(0, 64), body.length, cap);
  }
  check(value, direction, shape.wholeFloats);
  return value as Message;
}

/**
 * Reads `type` off the first bytes of a body, when it is the first key, as encoders write it. Gives "" when it is not;
 * undefined when more bytes must come first.
 */
export function skimType(start: Uint8Array): string | undefined {
  const map = start[0];
  if (map === undefined) {
    return undefined;
  }
  const at = map === 0xde ? 3 : 1;
  const key = start.subarray(at, at + 5);
  if (!((map >= 0x81 && map <= 0x8f) || map === 0xde) || !"\xa4type".startsWith(String.fromCharCode(...key))) {
    return "";
  }
  const head = start[at + 5];
  if (head === undefined) {
    return undefined;
  }
  if (head < 0xa0 || head > 0xbf) {
    return "";
  }
  const end = at + 6 + (head & 0x1f);
  return end <= start.length ? new TextDecoder().decode(start.subarray(at + 6, end)) : undefined;
}

/** Cuts a stream into the messages of one direction. Feed it whatever arrives. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #length: number | undefined;
  #type: string | undefined;
  #passingOver = 0;

  constructor(private readonly direction: Direction) {}

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
   * BoundaryLost for a length over `FRAME_BYTES_MAX`, after what came before it: what follows cannot be trusted to be a
   * frame.
   */
  feed(data: Uint8Array): Iterable<Item> {
    if (data.length > 0) {
      this.#chunks.push(data);
      this.#waiting += data.length;
    }
    return this.#items();
  }

  *#items(): Generator<Item> {
    for (let item = this.#next(); item !== undefined; item = this.#next()) {
      yield item;
    }
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
    return this.#item(body);
  }

  #item(body: Uint8Array): Item {
    try {
      return decode(body, this.direction);
    } catch (error) {
      if (error instanceof InvalidMessage) {
        return error;
      }
      throw error;
    }
  }

  /** Refuses a body over its type's cap as soon as the type is there. */
  #checkCap(length: number): TooLarge | undefined {
    if (this.#type !== undefined) {
      return undefined;
    }
    const skimmed = Math.min(length, SKIM_BYTES);
    const type = skimType(this.#peek(Math.min(skimmed, this.#waiting)));
    this.#type = type === undefined && this.#waiting >= skimmed ? "" : type;
    const cap = this.#type ? this.direction.bytesMax(this.#type) : FRAME_BYTES_MAX;
    if (length <= cap) {
      return undefined;
    }
    const refused = new TooLarge(this.#type ?? "", length, cap);
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

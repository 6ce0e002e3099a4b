/**
 * Walks MessagePack bytes without building anything: depth, lengths that fit, UTF-8, text keys. What passes can be
 * decoded without a promised length taking memory. It is the only place that knows the format's bytes.
 */
import { isUtf8 } from "node:buffer";

import { InvalidMessage } from "./errors.js";
import { DEPTH_MAX, INTEGER_DEPTH_MAX } from "./limits.js";

/** What a walk saw beside a sound value. */
export interface Shape {
  /** Pairs of all maps. */
  pairs: number;
  /** Places in maps that hold a float without a fraction: to JavaScript it looks like an integer, which it is not. */
  wholeFloats: ReadonlySet<string>;
}

/** A map or list that is being walked over. */
interface Open {
  left: number;
  map: boolean;
  /** Where the newest key stands, or how many members came. */
  keyStart: number;
  keyEnd: number;
  members: number;
  /** The keys so far, where doubles are looked for. */
  keys: Set<string> | undefined;
}

/**
 * Refuses a body that is not exactly one well-formed value within the depth limit. Throws InvalidMessage. Keys that stand
 * twice are looked for only with `doubles`, which costs memory.
 */
export function checkShape(body: Uint8Array, doubles = false): Shape {
  const walk = new Walk(body, doubles);
  let at = 0;
  do {
    at = walk.step(at);
  } while (walk.isOpen);
  if (at !== body.length) {
    throw new InvalidMessage("", "trailing", `has ${body.length - at} bytes after the message`);
  }
  return walk;
}

class Walk implements Shape {
  pairs = 0;
  readonly wholeFloats = new Set<string>();
  #open: Open[] = [];
  #view: DataView;

  constructor(
    private readonly body: Uint8Array,
    private readonly doubles: boolean,
  ) {
    this.#view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Takes the value at a place and gives the next place. */
  step(at: number): number {
    const head = readHead(this.#view, at);
    const end = head.start + head.bytes;
    if (end > this.body.length || head.items > this.body.length - end) {
      throw new InvalidMessage("", "truncated", "ends inside a value");
    }
    const parent = this.#open.at(-1);
    if (parent) {
      this.#enter(parent, head, end);
    } else if (head.text) {
      this.#checkText(head.start, end);
    }
    if (head.container) {
      this.#push(head);
    }
    while (this.#open.at(-1)?.left === 0) {
      this.#open.pop();
    }
    return end;
  }

  #push(head: Head): void {
    const map = head.container === "map";
    this.pairs += map ? head.items / 2 : 0;
    this.#open.push({ left: head.items, map, keyStart: 0, keyEnd: 0, members: 0, keys: this.doubles && map ? new Set() : undefined });
    if (this.#open.length > DEPTH_MAX) {
      throw new InvalidMessage("", "depth", `is more than ${DEPTH_MAX} levels deep`);
    }
  }

  #enter(parent: Open, head: Head, end: number): void {
    const isKey = parent.map && parent.left % 2 === 0;
    parent.left -= 1;
    if (isKey) {
      if (!head.text) {
        throw new InvalidMessage(this.#path(this.#open.length - 1), "key", "has a key that is not text");
      }
      this.#checkText(head.start, end, this.#open.length - 1);
      parent.keyStart = head.start;
      parent.keyEnd = end;
      this.#checkDouble(parent);
      return;
    }
    parent.members += 1;
    if (head.text) {
      this.#checkText(head.start, end);
    } else if (head.float && parent.map && this.#open.length <= INTEGER_DEPTH_MAX && this.#isWhole(head)) {
      this.wholeFloats.add(this.#path());
    }
  }

  #checkText(start: number, end: number, depth?: number): void {
    if (!isUtf8(this.body.subarray(start, end))) {
      throw new InvalidMessage(this.#path(depth), "utf8", "has text that is not valid UTF-8");
    }
  }

  #checkDouble(parent: Open): void {
    if (!parent.keys) {
      return;
    }
    const key = this.#key(parent);
    if (parent.keys.has(key)) {
      throw new InvalidMessage(this.#path(), "duplicate", "is given twice");
    }
    parent.keys.add(key);
  }

  #isWhole(head: Head): boolean {
    return Number.isInteger(head.bytes === 4 ? this.#view.getFloat32(head.start) : this.#view.getFloat64(head.start));
  }

  #key(open: Open): string {
    return new TextDecoder().decode(this.body.subarray(open.keyStart, open.keyEnd));
  }

  /** The place of the value in hand, as errors name it; or of the container that lies so deep. */
  #path(depth = this.#open.length): string {
    const steps = this.#open.slice(0, depth).map((open) => (open.map ? `.${this.#key(open)}` : `[${open.members - 1}]`));
    return steps.join("").replace(/^\./, "");
  }
}

interface Head {
  start: number;
  bytes: number;
  items: number;
  text: boolean;
  float: boolean;
  container: "" | "map" | "list";
}

function readHead(view: DataView, at: number): Head {
  const need = (bytes: number): void => {
    if (at + bytes > view.byteLength) {
      throw new InvalidMessage("", "truncated", "ends inside a value");
    }
  };
  const leaf = (start: number, bytes: number, text = false): Head => ({ start, bytes, items: 0, text, float: false, container: "" });
  const list = (start: number, items: number): Head => ({ start, bytes: 0, items, text: false, float: false, container: "list" });
  const map = (start: number, pairs: number): Head => ({ start, bytes: 0, items: pairs * 2, text: false, float: false, container: "map" });
  const length = (width: 1 | 2 | 4): number => {
    need(1 + width);
    return width === 1 ? view.getUint8(at + 1) : width === 2 ? view.getUint16(at + 1) : view.getUint32(at + 1);
  };
  need(1);
  const first = view.getUint8(at);
  if (first <= 0x7f || first >= 0xe0) return leaf(at + 1, 0);
  if (first <= 0x8f) return map(at + 1, first & 0x0f);
  if (first <= 0x9f) return list(at + 1, first & 0x0f);
  if (first <= 0xbf) return leaf(at + 1, first & 0x1f, true);
  switch (first) {
    case 0xc0: case 0xc2: case 0xc3: return leaf(at + 1, 0);
    case 0xc4: return leaf(at + 2, length(1));
    case 0xc5: return leaf(at + 3, length(2));
    case 0xc6: return leaf(at + 5, length(4));
    case 0xc7: return leaf(at + 3, length(1));
    case 0xc8: return leaf(at + 4, length(2));
    case 0xc9: return leaf(at + 6, length(4));
    case 0xcc: case 0xd0: return leaf(at + 1, 1);
    case 0xcd: case 0xd1: return leaf(at + 1, 2);
    case 0xca: return { ...leaf(at + 1, 4), float: true };
    case 0xcb: return { ...leaf(at + 1, 8), float: true };
    case 0xce: case 0xd2: return leaf(at + 1, 4);
    case 0xcf: case 0xd3: return leaf(at + 1, 8);
    case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return leaf(at + 2, 1 << (first - 0xd4));
    case 0xd9: return leaf(at + 2, length(1), true);
    case 0xda: return leaf(at + 3, length(2), true);
    case 0xdb: return leaf(at + 5, length(4), true);
    case 0xdc: return list(at + 3, length(2));
    case 0xdd: return list(at + 5, length(4));
    case 0xde: return map(at + 3, length(2));
    case 0xdf: return map(at + 5, length(4));
    default: throw new InvalidMessage("", "malformed", "has a byte that MessagePack never uses");
  }
}

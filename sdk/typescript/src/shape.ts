/**
 * Walks MessagePack bytes without building anything: depth, lengths that fit, UTF-8, text keys. What passes can be
 * decoded without a promised length taking memory. It is the only place that knows the format's bytes.
 */
import { isUtf8 } from "node:buffer";

import { InvalidMessage } from "./errors.js";
import { DEPTH_MAX } from "./limits.js";

interface Open {
  left: number;
  map: boolean;
}

/** Refuses a body that is not exactly one well-formed value within the depth limit. Throws InvalidMessage. */
export function checkShape(body: Uint8Array): void {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const open: Open[] = [];
  let at = 0;
  do {
    const parent = open.at(-1);
    const isKey = parent !== undefined && parent.map && parent.left % 2 === 0;
    const head = readHead(view, at);
    const end = head.start + head.bytes;
    if (end > body.length || head.items > body.length - end) {
      throw new InvalidMessage("", "ends inside a value");
    }
    if (isKey && !head.text) {
      throw new InvalidMessage("", "has a key that is no text");
    }
    if (head.text && !isUtf8(body.subarray(head.start, end))) {
      throw new InvalidMessage("", "has text that is no UTF-8");
    }
    at = end;
    if (parent) {
      parent.left -= 1;
    }
    if (head.container) {
      open.push({ left: head.items, map: head.container === "map" });
      if (open.length > DEPTH_MAX) {
        throw new InvalidMessage("", `is more than ${DEPTH_MAX} levels deep`);
      }
    }
    while (open.at(-1)?.left === 0) {
      open.pop();
    }
  } while (open.length > 0);
  if (at !== body.length) {
    throw new InvalidMessage("", `has ${body.length - at} bytes after the message`);
  }
}

interface Head {
  start: number;
  bytes: number;
  items: number;
  text: boolean;
  container: "" | "map" | "list";
}

function readHead(view: DataView, at: number): Head {
  const need = (bytes: number): void => {
    if (at + bytes > view.byteLength) {
      throw new InvalidMessage("", "ends inside a value");
    }
  };
  const leaf = (start: number, bytes: number, text = false): Head => ({ start, bytes, items: 0, text, container: "" });
  const list = (start: number, items: number): Head => ({ start, bytes: 0, items, text: false, container: "list" });
  const map = (start: number, pairs: number): Head => ({ start, bytes: 0, items: pairs * 2, text: false, container: "map" });
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
    case 0xca: case 0xce: case 0xd2: return leaf(at + 1, 4);
    case 0xcb: case 0xcf: case 0xd3: return leaf(at + 1, 8);
    case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return leaf(at + 2, 1 << (first - 0xd4));
    case 0xd9: return leaf(at + 2, length(1), true);
    case 0xda: return leaf(at + 3, length(2), true);
    case 0xdb: return leaf(at + 5, length(4), true);
    case 0xdc: return list(at + 3, length(2));
    case 0xdd: return list(at + 5, length(4));
    case 0xde: return map(at + 3, length(2));
    case 0xdf: return map(at + 5, length(4));
    default: throw new InvalidMessage("", "has a byte that MessagePack never uses");
  }
}

/** Frames: caps before allocation, depth, noise, integers, and messages that name what is wrong with them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FROM_AGENT, TO_AGENT } from "../src/check.js";
import { BoundaryLost, InvalidMessage, TooLarge } from "../src/errors.js";
import { decode, encode, framed, FrameReader, skimType, type Item, type Message } from "../src/frame.js";
import { DEPTH_MAX, FRAME_BYTES_MAX, OTHER_BYTES_MAX } from "../src/limits.js";
import { depthOf, pack, unpack } from "../src/packing.js";

const header = (length: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
};
const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));
const ping: Message = { type: "ping", version: 3, timestamp: 1, nonce: 1 };

describe("frames", () => {
  test("a message survives the way byte by byte", () => {
    const message = { ...ping, nonce: 2n ** 63n, data: { b: new Uint8Array([0, 255]), t: "ü", n: null, f: 0.5, l: [1, [2]] } };
    const reader = new FrameReader(TO_AGENT);
    const items: Item[] = [];
    for (const byte of joined(encode(message, TO_AGENT), encode(message, TO_AGENT))) {
      items.push(...reader.feed(new Uint8Array([byte])));
    }
    assert.deepEqual(items, [message, message]);
    assert.equal(reader.midFrame, false);
  });

  test("integers keep their value and their kind and are written in their shortest form", () => {
    const values = [0, -1, 2 ** 31, 2 ** 32, 5_000_000_000, -5_000_000_000, Number.MAX_SAFE_INTEGER, 2n ** 63n, -(2n ** 62n)];
    const packed = pack({ values });
    assert.deepEqual(unpack(packed), { values });
    assert.ok(!packed.includes(0xcb), "no integer is written as a float");
    assert.deepEqual(pack(5n), pack(5));
  });

  test("type is written first and skimmed", () => {
    assert.equal(skimType(encode({ timestamp: 1, type: "heartbeat" }).subarray(4)), "heartbeat");
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, at]));
    assert.equal(skimType(pack({ type: "heartbeat", ...many })), "heartbeat", "a map with a longer head");
    assert.equal(skimType(pack({ timestamp: 1, type: "heartbeat" })), "");
    for (const begun of ["", "\x81", "\x81\xa4ty", "\x81\xa4type", "\x81\xa4type\xa9heart"]) {
      assert.equal(skimType(bytes(begun)), undefined, begun);
    }
  });

  test("a length over the largest limit loses the boundary and nothing before it", () => {
    const items = new FrameReader(TO_AGENT).feed(joined(encode(ping, TO_AGENT), header(FRAME_BYTES_MAX + 1)))[Symbol.iterator]();
    assert.deepEqual(items.next().value, ping);
    assert.throws(() => items.next(), BoundaryLost);
  });

  test("a body over the cap of its type is passed over and never stored", () => {
    const reader = new FrameReader(TO_AGENT);
    const start = joined(bytes("\x82\xa4type\xa4ping"), Buffer.alloc(80, 0xa0));
    const size = OTHER_BYTES_MAX + 1;
    const [refused] = reader.feed(joined(header(size), start));
    assert.ok(refused instanceof TooLarge);
    for (let rest = size - start.length; rest > 0; rest -= 65536) {
      assert.deepEqual([...reader.feed(new Uint8Array(Math.min(rest, 65536)))], []);
      assert.equal(reader.heldBytes, 0);
    }
    assert.deepEqual([...reader.feed(encode(ping, TO_AGENT))], [ping]);
  });

  test("what is no message is given as an error and the next frame is read", () => {
    const bodies = [
      [], [0xc1], [0x93, 1, 2, 3], [0x81], [0x81, 0xa4, 0x74, 0x79, 0x70, 0x65, 0xa1, 0xff],
      [...pack({ type: 5 })], [0xdf, 0xff, 0xff, 0xff, 0xff], [0x81, 1, 2], [...pack({ type: "ping" }), 0],
    ];
    for (const body of bodies) {
      const [bad, good] = new FrameReader(TO_AGENT).feed(joined(framed(new Uint8Array(body)), encode(ping, TO_AGENT)));
      assert.ok(bad instanceof InvalidMessage, JSON.stringify(body));
      assert.deepEqual(good, ping);
    }
  });

  test("depth is limited both ways", () => {
    const nested = (levels: number): Message => (levels === 1 ? ping : { ...ping, x: nested(levels - 1) });
    assert.equal(depthOf(nested(5)), 5);
    decode(pack(nested(DEPTH_MAX)), TO_AGENT);
    assert.throws(() => encode(nested(DEPTH_MAX + 1), TO_AGENT), InvalidMessage);
    assert.throws(() => unpack(new Uint8Array(200_000).fill(0x91)), { problem: "depth" });
  });

  test("the place of bad text and of a double key is named", () => {
    for (const [value, path, problem] of [
      ["\x81\xa1a\x92\x01\xa1\xff", "a[1]", "utf8"],
      ["\x81\xa1a\x82\xa1b\x01\xa1b\x02", "a.b", "duplicate"],
      ["\x81\xa1a\x81\xa1\xff\x01", "a", "utf8"],
      ["\x81\xa1a\x81\x90\x01", "a", "key"],
    ] as const) {
      assert.throws(() => unpack(bytes(value)), { path, problem });
    }
  });

  test("sending over a cap is refused here, and a heartbeat fits its hundred bytes", () => {
    const data = { operation: "x", params: { t: "a".repeat(11_000) }, sequence: 1 };
    assert.throws(() => encode({ type: "wal_entry", timestamp: 1, data }), TooLarge);
    assert.ok(encode({ type: "heartbeat", version: 3, timestamp: 2 ** 40, p: 2 ** 53 - 1 }).length < 104);
  });
});

describe("checks", () => {
  const pathOf = (message: Message): string => {
    try {
      encode({ version: 3, timestamp: 1, ...message }, TO_AGENT);
    } catch (error) {
      assert.ok(error instanceof InvalidMessage);
      return error.path;
    }
    return assert.fail("the message passed");
  };

  test("the field that is wrong is named", () => {
    const wal_entries = [{ operation: "a", params: {}, sequence: 1 }, { operation: "b", params: {}, sequence: "2" }];
    assert.equal(pathOf({ type: "restore", checkpoint_id: "", snapshot: {}, wal_entries, next_sequence: 3 }), "wal_entries[1].sequence");
    assert.equal(pathOf({ type: "process_request", request_id: "a", data: {} }), "data.message");
    assert.equal(pathOf({ type: "process_request", request_id: "a" }), "data");
    assert.equal(pathOf({ type: "wal_ack", sequence: true }), "sequence");
    assert.equal(pathOf({ ...ping, timestamp: 1.5 }), "timestamp");
    assert.equal(pathOf({ ...ping, version: 4 }), "version");
    const context = { tools: [{ name: "a", description: "", parameters: { x: Infinity } }] };
    const request = { type: "process_request", request_id: "a", data: { message: "", user_id: "", context } };
    assert.equal(pathOf(request), "data.context.tools[0].parameters.x");
    encode({ ...request, version: 1, timestamp: 1 }, TO_AGENT); // version 1 has no such field
  });

  test("each type goes one way and unknown fields stay", () => {
    assert.equal(pathOf({ type: "heartbeat", p: 1 }), "type");
    assert.equal(pathOf({ type: "constructor" }), "type");
    const message = { ...ping, metadata: { a: 1 }, new: [1] };
    assert.deepEqual([...new FrameReader(TO_AGENT).feed(encode(message, TO_AGENT))], [message]);
    assert.equal(FROM_AGENT.bytesMax("restore"), OTHER_BYTES_MAX);
  });
});

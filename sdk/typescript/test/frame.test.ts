/** Frames: caps before allocation, depth, noise, integers, and messages that name what is wrong with them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { check, FROM_KEEPER } from "../src/check.js";
import { BoundaryLost, InvalidMessage, TooLarge } from "../src/errors.js";
import { decode, encode, FrameReader, pack, skimType, unpack, type Item, type Message } from "../src/frame.js";
import { DEPTH_MAX, FRAME_BYTES_MAX, OTHER_BYTES_MAX } from "../src/limits.js";

const header = (length: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
};
const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const ping: Message = { type: "ping", timestamp: 1, nonce: 1 };

describe("frames", () => {
  test("a message survives the way byte by byte", () => {
    const message = { type: "ping", timestamp: 1, data: { b: new Uint8Array([0, 255]), t: "ü", n: null, f: 0.5, l: [1, [2]] } };
    const reader = new FrameReader();
    const items: Item[] = [];
    for (const byte of joined(encode(message), encode(message))) {
      items.push(...reader.feed(new Uint8Array([byte])));
    }
    assert.deepEqual(items, [message, message]);
    assert.equal(reader.midFrame, false);
  });

  test("integers keep their value and their kind", () => {
    const values = [0, -1, 2 ** 31, 2 ** 32, 5_000_000_000, -5_000_000_000, Number.MAX_SAFE_INTEGER, 2n ** 63n, -(2n ** 62n)];
    const packed = pack({ values });
    assert.deepEqual(unpack(packed), { values });
    assert.ok(!packed.includes(0xcb), "no integer is written as a float");
  });

  test("type is written first and skimmed", () => {
    assert.equal(skimType(encode({ timestamp: 1, type: "heartbeat" }).subarray(4)), "heartbeat");
    assert.equal(skimType(pack({ timestamp: 1, type: "heartbeat" })), undefined);
    assert.equal(skimType(new TextEncoder().encode("\x81")), undefined);
  });

  test("a length over the largest limit loses the boundary", () => {
    assert.throws(() => new FrameReader().feed(header(FRAME_BYTES_MAX + 1)), BoundaryLost);
  });

  test("a body over the cap of its type is passed over and never stored", () => {
    const reader = new FrameReader();
    const start = joined(new Uint8Array([0x82, 0xa4]), Buffer.from("type"), new Uint8Array([0xa4]), Buffer.from("ping"), Buffer.alloc(80, 0xa0));
    const size = OTHER_BYTES_MAX + 1;
    const [refused] = reader.feed(joined(header(size), start));
    assert.ok(refused instanceof TooLarge);
    for (let rest = size - start.length; rest > 0; rest -= 65536) {
      assert.deepEqual(reader.feed(new Uint8Array(Math.min(rest, 65536))), []);
      assert.equal(reader.heldBytes, 0);
    }
    assert.deepEqual(reader.feed(encode(ping)), [ping]);
  });

  test("what is no message is given as an error and the next frame is read", () => {
    const bodies = [
      [], [0xc1], [0x93, 1, 2, 3], [0x81], [0x81, 0xa4, 0x74, 0x79, 0x70, 0x65, 0xa1, 0xff],
      [...pack({ type: 5 })], [0xdf, 0xff, 0xff, 0xff, 0xff], [0x81, 1, 2], [...pack({ type: "ping" }), 0],
    ];
    for (const body of bodies) {
      const [bad, good] = new FrameReader().feed(joined(header(body.length), new Uint8Array(body), encode(ping)));
      assert.ok(bad instanceof InvalidMessage, JSON.stringify(body));
      assert.deepEqual(good, ping);
    }
  });

  test("depth is limited both ways", () => {
    const nested = (levels: number): Message => (levels === 1 ? { type: "ping" } : { type: "ping", x: nested(levels - 1) });
    decode(pack(nested(DEPTH_MAX)));
    assert.throws(() => encode(nested(DEPTH_MAX + 1)), InvalidMessage);
    assert.throws(() => unpack(new Uint8Array(200_000).fill(0x91)), InvalidMessage);
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
      check({ timestamp: 1, ...message }, FROM_KEEPER);
    } catch (error) {
      assert.ok(error instanceof InvalidMessage);
      return error.path;
    }
    return assert.fail("the message passed");
  };

  test("the field that is wrong is named", () => {
    const wal_entries = [{ operation: "a", params: {}, sequence: 1 }, { operation: "b", params: {}, sequence: "2" }];
    assert.equal(pathOf({ type: "restore", wal_entries }), "wal_entries[1].sequence");
    assert.equal(pathOf({ type: "process_request", request_id: "a", data: {} }), "data.message");
    assert.equal(pathOf({ type: "process_request", request_id: "a" }), "data");
    assert.equal(pathOf({ type: "wal_ack", sequence: true }), "sequence");
    assert.equal(pathOf({ type: "ping", nonce: 1, timestamp: 1.5 }), "timestamp");
    assert.equal(pathOf({ type: "ping", nonce: 1, version: 4 }), "version");
  });

  test("each type goes one way and unknown fields stay", () => {
    assert.equal(pathOf({ type: "heartbeat" }), "type");
    assert.equal(pathOf({ type: "constructor" }), "type");
    const message = { ...ping, metadata: { a: 1 }, new: [1] };
    check(message, FROM_KEEPER);
    assert.deepEqual(new FrameReader().feed(encode(message)), [message]);
  });
});

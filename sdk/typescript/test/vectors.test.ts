/** The protocol's conformance vectors: good ones are read and written again, others refused as the index says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { FROM_AGENT, TO_AGENT } from "../src/check.js";
import { BoundaryLost, InvalidMessage } from "../src/errors.js";
import { encode, FrameReader, type Item } from "../src/frame.js";

interface Vector {
  name: string;
  direction: "from_agent" | "to_agent";
  expect: "ok" | "error" | "lost" | "cut_off";
  canonical?: boolean;
  code?: string;
  path?: string;
  problem?: string;
}

const DIRECTIONS = { from_agent: FROM_AGENT, to_agent: TO_AGENT };
const file = (name: string): Buffer => readFileSync(new URL(`../../../../docs/wire/vectors/${name}`, import.meta.url));
const vectors = (JSON.parse(file("index.json").toString()) as { vectors: Vector[] }).vectors;
const whole = Number.MAX_SAFE_INTEGER;

const of = (expect: Vector["expect"]): Vector[] => {
  const found = vectors.filter((vector) => vector.expect === expect);
  assert.ok(found.length > 0, expect);
  return found;
};

/** Undoes the forms in which JSON shows what it has not. */
function special(_key: string, value: unknown): unknown {
  if (typeof value === "object" && value !== null && Object.keys(value).length === 1) {
    const { $bin, $int } = value as { $bin?: string; $int?: string };
    if ($bin !== undefined) return new Uint8Array(Buffer.from($bin, "base64"));
    if ($int !== undefined) return BigInt($int);
  }
  return value;
}

/** Gives what comes of a vector that arrives in pieces, and how its stream ends. */
function read(vector: Vector, pieceBytes: number): { items: Item[]; end: string } {
  const reader = new FrameReader(DIRECTIONS[vector.direction]);
  const data = new Uint8Array(file(`${vector.name}.msgpack`));
  const items: Item[] = [];
  try {
    for (let at = 0; at < data.length; at += pieceBytes) {
      for (const item of reader.feed(data.subarray(at, at + pieceBytes))) {
        items.push(item);
      }
    }
  } catch (error) {
    assert.ok(error instanceof BoundaryLost, String(error));
    return { items, end: "lost" };
  }
  return { items, end: reader.midFrame ? "cut_off" : "clean" };
}

const shown = (item: Item): unknown => (item instanceof InvalidMessage ? [item.code, item.path, item.problem] : item);

test("good vectors are read, and those in the shortest form written byte for byte", () => {
  for (const vector of of("ok")) {
    const text = file(`${vector.name}.json`).toString();
    const meaning = JSON.parse(text, special);
    const { items, end } = read(vector, whole);
    assert.deepEqual({ items: items.map(shown), end }, { items: [meaning], end: "clean" }, vector.name);
    const direction = DIRECTIONS[vector.direction];
    const again = encode(meaning, direction);
    // JavaScript does not tell 8.0 from 8: such a number is written as an integer, which float fields take.
    const hasWholeFloat = /[\s[]-?\d+\.0\b/.test(text);
    if (vector.canonical && !hasWholeFloat) {
      assert.deepEqual(Buffer.from(again), file(`${vector.name}.msgpack`), vector.name);
    }
    assert.deepEqual([...new FrameReader(direction).feed(again)], [meaning], vector.name);
  }
});

test("others are refused with code, path and problem", () => {
  for (const { name, code, path, problem, ...vector } of of("error")) {
    const refused = read({ name, ...vector }, whole).items.at(-1);
    assert.ok(refused instanceof InvalidMessage, name);
    assert.deepEqual(shown(refused), [code, path, problem], `${name}: ${refused.message}`);
  }
});

test("a lost boundary and a cut stream are told apart, and the frame before noise counts", () => {
  for (const vector of [...of("lost"), ...of("cut_off")]) {
    const { items, end } = read(vector, whole);
    assert.equal(end, vector.expect, vector.name);
    assert.equal(items.length, vector.name === "noise_after_a_frame" ? 1 : 0, vector.name);
  }
});

test("any cut of a vector comes to the same", () => {
  for (const vector of vectors) {
    const expected = read(vector, whole);
    for (const pieceBytes of [1, 3, 64]) {
      const { items, end } = read(vector, pieceBytes);
      assert.deepEqual([items.map(shown), end], [expected.items.map(shown), expected.end], `${vector.name} in pieces of ${pieceBytes}`);
    }
  }
});

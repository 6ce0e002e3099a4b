// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { drawn, KINDS } from "./registry";
import { SAMPLES } from "./samples.fixture";

afterEach(cleanup);

const named = SAMPLES.map((sample, at) => [`${sample.tool} (${at})`, sample] as const);

/** Draws a result and gives what stands there; null where it is left to the plain view. */
function draw(tool: string, result: unknown, given: unknown): HTMLElement | null {
  const form = drawn(tool, JSON.stringify(result), given);
  return form && render(form).container;
}

/** All forms of a value in which one part of it is something else. */
function* variants(value: unknown, other: unknown): Generator<unknown> {
  yield other;
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries())
      for (const variant of variants(one, other)) yield value.with(at, variant);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      const { [name]: _, ...without } = value as Record<string, unknown>;
      yield without;
      for (const variant of variants(one, other)) yield { ...value, [name]: variant };
    }
  }
}

/** A value with each of its texts made by a function of it. */
function mapped(
  value: unknown,
  text: (text: string) => unknown,
  list = (items: unknown[]) => items,
): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return list(value.map((one) => mapped(one, text, list)));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, text, list)]));
}

/** A value with each `kind` as it is in a value of the same shape. */
function withKinds(value: unknown, from: unknown): unknown {
  if (Array.isArray(value))
    return value.map((one, at) => withKinds(one, Array.isArray(from) ? from[at] : null));
  if (typeof value !== "object" || value === null) return value;
  const kept = (from ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === "kind" ? kept[name] : withKinds(one, kept[name]),
    ]),
  );
}

function expectUnharmed(container: HTMLElement): void {
  expect(container.querySelector("img, script, iframe, object, embed, style, b, [onerror]")).toBeNull();
  const hidden = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
  expect(container.textContent).not.toMatch(hidden);
  expect(container.textContent).not.toContain("\u001b");
  for (const element of container.querySelectorAll("*")) {
    for (const { value } of element.attributes) expect(value).not.toMatch(hidden);
  }
  for (const link of container.querySelectorAll("a")) {
    expect(link.protocol).toMatch(/^https?:$/);
    expect(link.rel).toContain("noopener");
    expect(link.rel).toContain("noreferrer");
    expect(link.target).toBe("_blank");
  }
}

it("has a sample of every kind", () => {
  expect(new Set(SAMPLES.map((sample) => sample.tool))).toEqual(new Set(KINDS.keys()));
});

describe("what a tool gives", () => {
  it.each(named)("is drawn: %s", (_, { tool, result, given, shows }) => {
    const container = draw(tool, result, given);
    const text = container?.textContent?.replace(/\s+/g, " ");
    for (const words of shows) expect(text).toContain(words);
    if (container) expectUnharmed(container);
  });

  it.each(named)("never breaks the page where a part of it is something else: %s", (_, sample) => {
    for (const other of [null, "x", [], [{}]]) {
      for (const result of variants(sample.result, other)) {
        draw(sample.tool, result, sample.given);
        cleanup();
      }
      draw(sample.tool, sample.result, other);
      cleanup();
    }
    for (const other of [-1, 7.5, 1e300, true, "", [[]], [null], ["x"], {}, { a: 1 }]) {
      for (const result of variants(sample.result, other))
        expect(() => drawn(sample.tool, JSON.stringify(result), other)).not.toThrow();
    }
  });

  it.each(named)("is text and safe links alone, whatever it says: %s", (_, { tool, result, given }) => {
    const hostile = [
      "<img src=x onerror='stolen=1'><script>stolen=1</script><b>x</b>",
      "gpj.\u202Eexe\u2066\u200B\uFEFF\u001b[2J",
      "javascript:stolen=1",
      "\u0001java\nscript:stolen=1",
      "data:text/html,<script>stolen=1</script>",
      "https://good.example@evil.example/\u202E",
      "https://evil.example/\u202Egpj.exe?\u200B#\u001b",
      "__proto__",
      "constructor",
      "\ud800",
      "2026-11-28 (\u202E)",
      "--- a\u202E\n+++ b\n@@ -1 +1 @@\n-\u202Ea\n+<b>b</b>\n",
    ];
    let forms = 0;
    for (const text of hostile) {
      const all = [mapped(result, () => text), mapped(result, (old) => old + text)];
      // Some forms are chosen by a word of the result: with that word kept, all else of them is tried too.
      for (const one of [...all, ...all.map((other) => withKinds(other, result))]) {
        const container = draw(
          tool,
          one,
          mapped(given, () => text),
        );
        if (container) {
          forms += 1;
          expectUnharmed(container);
        }
        cleanup();
      }
    }
    // Where no form is drawn nothing is shown by this.
    expect(forms).toBeGreaterThan(0);
  });

  it.each(named)("stays a page of bounded size, however long it is: %s", (_, { tool, result, given }) => {
    const many = mapped(
      result,
      (text) => text,
      (items) => Array.from({ length: 30 }, () => items).flat(),
    );
    const lists = draw(tool, many, given);
    expect(lists).not.toBeNull();
    expect(lists?.querySelectorAll("*").length).toBeLessThan(2_500);
    // The same lines of a file stand there once.
    if (tool !== "files.search" && JSON.stringify(many).length > 2_000)
      expect(lists?.textContent).toMatch(/and [\d,]+ more|…/);
    cleanup();
    const long = mapped(result, (text) => (text.length < 8 ? text : text + "w ".repeat(8_000)));
    expect(draw(tool, long, given)?.textContent?.length ?? 0).toBeLessThan(60_000);
  });
});

it("leaves to the plain view what no kind knows, what is no JSON and what is too long", () => {
  expect(drawn("clock.now", "{}", {})).toBeNull();
  expect(drawn("constructor", "{}", {})).toBeNull();
  expect(drawn("files.read", "no JSON", {})).toBeNull();
  expect(drawn("files.read", "", {})).toBeNull();
  expect(drawn("rss.list", `{"feeds":[],"x":"${"x".repeat(300_000)}"}`, {})).toBeNull();
  expect(drawn("rss.list", "[".repeat(100_000), {})).toBeNull();
});

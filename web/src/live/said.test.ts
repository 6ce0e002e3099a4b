import { describe, expect, it } from "vitest";
import type { ToolProgressView } from "@/api/generated";
import { decodeProgress } from "./event";
import { LINE_CHARS_KEPT, LINES_KEPT, type Said, stepWords, withUpdate } from "./said";

const UPDATE = { epoch_id: "e", call_id: "call_1_1" };

function wrote(sequence: number, text: string, more: { stream?: "stderr"; left?: number } = {}) {
  const piece = { stream: more.stream ?? ("stdout" as const), left_out_bytes: more.left ?? 0, text };
  return { ...UPDATE, sequence, output: [piece] };
}

function after(...updates: ToolProgressView[]): Said {
  const said = updates.reduce<Said | null>(withUpdate, null);
  if (!said) throw new Error("nothing was said");
  return said;
}

const texts = (said: Said) => said.lines.map((line) => line.text);

describe("what a running call says", () => {
  it("grows line by line, whatever the pieces are", () => {
    const said = after(wrote(0, "one\ntw"), wrote(1, "o\n"), wrote(2, "\nfour"));
    expect(texts(said)).toEqual(["one", "two", "", "four"]);
    expect(said.lines.map((line) => line.number)).toEqual([0, 1, 2, 3]);
    expect(said.lines.map((line) => line.isOpen)).toEqual([false, false, false, true]);
  });

  it("keeps the streams apart", () => {
    const said = after(wrote(0, "out"), wrote(1, "err\n", { stream: "stderr" }), wrote(2, "more"));
    expect(said.lines.map(({ stream, text }) => [stream, text])).toEqual([
      ["stdout", "out"],
      ["stderr", "err"],
      ["stdout", "more"],
    ]);
  });

  it("writes over a line behind a return", () => {
    expect(texts(after(wrote(0, "10 %\r20 %\r"), wrote(1, "30 %"), wrote(2, "\r\ndone\r\n")))).toEqual([
      "30 %",
      "done",
    ]);
  });

  it("says what is missing: before this page, on the way, and what the keeper left out", () => {
    const said = after(wrote(3, "a\n"), wrote(5, "b\n"), wrote(6, "c\n", { left: 12_345 }));
    expect(texts(said)).toEqual([
      "[… what it wrote before is not shown …]",
      "a",
      "[… some of it did not come through …]",
      "b",
      "[… 12,345 bytes left out …]",
      "c",
    ]);
    expect(said.lines[0]?.stream).toBe("gap");
  });

  it("says of missing steps nothing until something is written", () => {
    const step = (sequence: number, done: number) => ({ ...UPDATE, sequence, step: { done } });
    const steps = [step(2, 1), step(5, 2)];
    expect(after(...steps).lines).toEqual([]);
    expect(texts(after(...steps, wrote(6, "a\n"), wrote(7, "b\n")))).toEqual([
      "[… some of it did not come through …]",
      "a",
      "b",
    ]);
  });

  it("begins anew where the call does", () => {
    expect(texts(after(wrote(0, "a\n"), wrote(1, "b\n"), wrote(0, "c\n")))).toEqual(["c"]);
  });

  it("is bounded in lines and in the length of one", () => {
    const flood = Array.from({ length: 1_000 }, (_, at) => wrote(at, `${at}\n${at}!\n`));
    const said = after(...flood);
    expect(said.lines).toHaveLength(LINES_KEPT);
    expect([said.lines.at(-1)?.text, said.lines.at(-1)?.number]).toEqual(["999!", 1_999]);
    const long = after(...Array.from({ length: 100 }, (_, at) => wrote(at, "🦀x".repeat(1_000))));
    const text = texts(long)[0] ?? "";
    expect(text.length).toBeLessThanOrEqual(LINE_CHARS_KEPT);
    expect(text.endsWith("x")).toBe(true);
    expect(() => encodeURIComponent(text), "no half of a character").not.toThrow();
  });

  it("keeps the newest step while output comes", () => {
    const step = { done: 3, total: 10, message: "reading" };
    const said = after({ ...UPDATE, sequence: 0, step }, wrote(1, "a\n"));
    expect(said.step).toEqual(step);
  });

  it("counts steps in words", () => {
    expect(stepWords({ done: 3, total: 10 })).toBe("3 of 10");
    expect(stepWords({ done: 0.4, total: 1 })).toBe("40 %");
    expect(stepWords({ done: 1_234.56 })).toBe("1,234.6");
  });

  it("is read from the stream, and what has another form is not", () => {
    const update = wrote(0, "a");
    expect(decodeProgress(JSON.stringify(update))).toEqual(update);
    for (const wrong of ["", "[]", "{}", '{"epoch_id":"e","call_id":"c","sequence":"0"}'])
      expect(decodeProgress(wrong)).toBeNull();
    const odd = { ...update, output: [{ stream: "stdin", text: "a" }, 7], step: { done: "3" } };
    expect(decodeProgress(JSON.stringify(odd))).toEqual({ ...UPDATE, sequence: 0, output: [] });
  });
});

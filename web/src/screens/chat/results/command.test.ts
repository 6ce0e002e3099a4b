import { describe, expect, it } from "vitest";
import { parseCommand } from "./command";

const written = (text: string, bytes = text.length) => ({ text, bytes });
const NOTHING = written("");
const MARK = "\n[… 5 bytes left out …]\n";

describe("a command that ended", () => {
  it.each([
    [{ exit_code: 0 }, { kind: "status", code: 0 }],
    [{ exit_code: -1 }, { kind: "status", code: -1 }],
    [{ signal: 9 }, { kind: "signal", signal: 9 }],
    [{ timed_out: "it ran longer than 60 s" }, { kind: "late", words: "it ran longer than 60 s" }],
  ])("as %j", (end, expected) => {
    const command = parseCommand({ ...end, stdout: NOTHING, stderr: NOTHING }, { command: "true" });
    expect(command?.end).toEqual(expected);
    expect(command?.command).toBe("true");
  });

  it("is shown where what it was given is not known", () => {
    expect(parseCommand({ exit_code: 0, stdout: NOTHING, stderr: NOTHING }, null)).toMatchObject({
      command: "",
      network: false,
    });
  });

  it("has a mark where the keeper left something out", () => {
    const text = `${"a".repeat(12_288)}${MARK}${"b".repeat(12_288)}`;
    const command = parseCommand({ exit_code: 0, stdout: written(text, 24_581), stderr: NOTHING }, {});
    expect(command?.stdout).toEqual({ head: "a".repeat(12_288), tail: "b".repeat(12_288), missing: 5 });
  });

  it("has none where it wrote such a mark itself", () => {
    const own = `before${MARK}after`;
    const command = parseCommand({ exit_code: 0, stdout: written(own), stderr: NOTHING }, {});
    expect(command?.stdout).toEqual({ head: own, tail: null, missing: 0 });
    const text = `a${MARK}${"a".repeat(12_250)}\n[… 77 bytes left out …]\n${"b".repeat(12_288)}`;
    const cut = parseCommand({ exit_code: 0, stdout: NOTHING, stderr: written(text, 24_576 + 77) }, {});
    expect(cut?.stderr.head.startsWith(`a${MARK}`)).toBe(true);
    expect(cut?.stderr.missing).toBe(77);
  });
});

it.each([
  null,
  [],
  {},
  { exit_code: 0 },
  { exit_code: "0", stdout: NOTHING, stderr: NOTHING },
  { exit_code: 0.5, stdout: NOTHING, stderr: NOTHING },
  { stdout: NOTHING, stderr: NOTHING },
  { exit_code: 0, stdout: "text", stderr: NOTHING },
  { exit_code: 0, stdout: { text: 7, bytes: 1 }, stderr: NOTHING },
  { exit_code: 0, stdout: { text: "x", bytes: -1 }, stderr: NOTHING },
])("what is none: %j", (result) => expect(parseCommand(result, {})).toBeNull());

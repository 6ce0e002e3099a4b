import { describe, expect, it } from "vitest";
import type { AnyEvent } from "@/live/event";
import { accept, complete } from "./completion";
import { HISTORY_KEPT, historyOf, step, withCommand } from "./history";
import { EXAMPLES } from "./language";
import { namesIn } from "./names";
import { stdoutSearch } from "./search";
import { offsetOf, placeOf } from "./transcript";

const names = { entities: ["@user", "@felix", "@iris"], spaces: ["#lab", "#live"] };

/** What is offered where `|` stands. */
const at = (marked: string) => {
  const caret = marked.indexOf("|");
  return complete(marked.replace("|", ""), caret, names);
};
const texts = (marked: string) => at(marked).options.map((one) => one.text.trim());

describe("completion", () => {
  it("offers commands behind a backslash, also behind another command's end", () => {
    expect(texts("\\s|")).toEqual(["\\stdout", "\\say", "\\spawn"]);
    expect(texts("\\stdout a --- \\wa|")).toEqual(["\\wake"]);
  });
  it("offers operations, whether the first \\stdout is there or not", () => {
    expect(texts("\\stdout re|")).toEqual(["read:", "recent:"]);
    expect(texts("re|")).toEqual(["read:", "recent:"]);
    expect(texts("\\wake |")).toEqual(["?(", "cancel:"]);
    expect(texts("\\help |")).toEqual(["stdout", "wake", "say"]);
  });
  it("offers what an operation is told", () => {
    expect(texts("\\stdout read: |")).toEqual(["last 10 ---"]);
    expect(texts("\\stdout query: |")).toEqual(["?("]);
  });
  it("offers names anywhere, by their sign", () => {
    expect(texts("\\say @f|")).toEqual(["@felix"]);
    expect(texts("\\say #l| the build")).toEqual(["#lab", "#live"]);
    expect(texts("\\wake ?(from(@i|")).toEqual(["@iris"]);
    expect(texts("\\say #lab|")).toEqual([]);
  });
  it("offers the words of conditions between their parentheses alone", () => {
    expect(texts("\\stdout query: ?(co|")).toEqual(["content", "contains"]);
    expect(texts("\\stdout query: ?(tick > 4 an|")).toEqual(["and"]);
    expect(texts('\\stdout query: ?(content contains "an|')).toEqual([]);
    expect(texts("\\wake ?(sl|")).toEqual(["sleep("]);
    expect(texts("\\stdout query: ?(sl|")).toEqual([]);
    expect(texts("\\wake ?(sleep(2h)) an|")).toEqual([]);
  });
  it("sees that an escaped end is none", () => {
    expect(texts("\\stdout write: a \\--- \\s|")).toEqual([]);
    expect(texts("\\stdout write: a \\\\--- \\s|")).toEqual(["\\stdout", "\\say", "\\spawn"]);
  });
  it("offers nothing in words that are free", () => {
    expect(texts("\\say @felix re|")).toEqual([]);
    expect(texts("|")).toEqual([]);
    expect(texts("\\stdout a --- |")).toEqual([]);
  });
  it("puts an option in the place of the word, and no second space", () => {
    const { from } = at("\\say @f| hello");
    expect(accept("\\say @f hello", 7, from, "@felix")).toEqual({ text: "\\say @felix hello", caret: 11 });
    expect(accept("\\st read:", 3, 0, "\\stdout ")).toEqual({ text: "\\stdout read:", caret: 7 });
  });
});

describe("the history", () => {
  it("goes back and forth and gives back what was being written", () => {
    const history = withCommand(withCommand(historyOf([]), "one"), "two");
    const first = step(history, -1, "draft");
    expect(first?.text).toBe("two");
    const second = first && step(first.history, -1, first.text);
    expect(second?.text).toBe("one");
    expect(second && step(second.history, -1, "one")).toBeNull();
    const back = second && step(second.history, 1, "one");
    expect(back?.text).toBe("two");
    expect(back && step(back.history, 1, "two")?.text).toBe("draft");
    expect(step(history, 1, "draft")).toBeNull();
  });
  it("keeps the same twice in a row once, and is bounded", () => {
    expect(withCommand(historyOf(["a"]), "a").commands).toEqual(["a"]);
    let history = historyOf([]);
    for (let n = 0; n < HISTORY_KEPT + 20; n += 1) history = withCommand(history, `c${n}`);
    expect(history.commands).toHaveLength(HISTORY_KEPT);
    expect(history.commands.at(-1)).toBe(`c${HISTORY_KEPT + 19}`);
  });
});

describe("mistakes", () => {
  it("tell their place, in characters", () => {
    expect(placeOf("ERROR: no, at character 11 (line 2, column 8)\n  x\n  ^")).toBe(10);
    expect(placeOf("ERROR: No content to write.")).toBeNull();
    expect(offsetOf("a🙂b", 2)).toBe(3);
  });
});

describe("names", () => {
  it("are gathered from what was said", () => {
    const line = (kind: string, entity: string, data: unknown) =>
      ({ kind, entity, data }) as unknown as AnyEvent;
    const found = namesIn([
      line("space.named", "@ann", { space: "#lab", members: ["@ann", "@felix"] }),
      line("stdout.written", "@eve", { content: "x" }),
      line("stdout.written", "@keeper", { content: "x" }),
    ]);
    expect(found).toEqual({ entities: ["@ann", "@eve", "@felix"], spaces: ["#lab"] });
  });
});

describe("the rest", () => {
  it("has examples that end, and addresses within bounds", () => {
    for (const { examples } of EXAMPLES)
      for (const { command } of examples) expect(command).toMatch(/^\\[a-z]+ .*---$/);
    expect(stdoutSearch({ as: ["x"], command: "y".repeat(9_000) }).command).toHaveLength(2_000);
    expect(stdoutSearch({ as: { a: 1 } }).as).toBeUndefined();
  });
});

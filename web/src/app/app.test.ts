import { describe, expect, it } from "vitest";
import { spelled } from "./commands";
import { rank } from "./palette";
import { oneOf, text, whole } from "./search";

const key = (name: string, more: Partial<KeyboardEvent> = {}) =>
  spelled({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

describe("keys", () => {
  it("are spelled one way", () => {
    expect(key("k", { ctrlKey: true })).toBe("mod+k");
    expect(key("K", { metaKey: true, shiftKey: true })).toBe("mod+shift+k");
    expect(key("?", { shiftKey: true })).toBe("?");
    expect(key("Shift", { shiftKey: true })).toBe("");
  });
});

describe("the palette", () => {
  const run = () => {};
  const commands = [
    { id: "a", label: "Go to Agents", group: "Go to", run },
    { id: "b", label: "Talk to Felix", group: "Agents", words: "felix", run },
    { id: "c", label: "Agents: park all", group: "x", run },
  ];
  it("puts what begins with the words first", () => {
    expect(rank(commands, "agents").map((one) => one.id)).toEqual(["c", "a", "b"]);
    expect(rank(commands, "fel").map((one) => one.id)).toEqual(["b"]);
    expect(rank(commands, "nothing")).toEqual([]);
  });
});

describe("addresses", () => {
  it("give what is of the form, or nothing", () => {
    expect(text(7)).toBe("7");
    expect(text({})).toBeUndefined();
    expect(whole("12")).toBe(12);
    expect(whole(-1)).toBeUndefined();
    expect(whole("1e400")).toBeUndefined();
    expect(oneOf("a", ["a", "b"])).toBe("a");
    expect(oneOf("c", ["a", "b"])).toBeUndefined();
  });
});

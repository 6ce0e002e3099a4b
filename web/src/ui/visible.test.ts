import { describe, expect, it } from "vitest";
import { givenLine, givenText } from "./given";
import { visible, visibleLine } from "./visible";

describe("texts of others", () => {
  it("show what is hidden in them by its number", () => {
    expect(visible("rm \u202egpj.exe")).toBe("rm ⟦U+202E⟧gpj.exe");
    expect(visible("a\tb\r\nc\u001b[2J\u0000")).toBe("a\tb\nc⟦U+001B⟧[2J⟦U+0000⟧");
    expect(visible("\u009b\u2066\u200f\u061c\u200b\u{e0041}")).toBe(
      "⟦U+009B⟧⟦U+2066⟧⟦U+200F⟧⟦U+061C⟧⟦U+200B⟧⟦U+E0041⟧",
    );
    expect(visibleLine("a\nb")).toBe("a⟦U+000A⟧b");
  });

  it("stay as they are where nothing is hidden", () => {
    for (const text of ["", "grün 🦀 漢字\n\tcafé", "👩\u200d🚀", "می\u200cخواهم", "❤\ufe0f"]) {
      expect(visible(text)).toBe(text);
    }
    expect(visible("a\u200db")).toBe("a⟦U+200D⟧b");
  });

  it("are the same on a call that waits for approval", () => {
    expect(givenText({ path: "/tmp/\u202egpj.sh" })).toBe("path: /tmp/⟦U+202E⟧gpj.sh");
    expect(givenLine({ path: "/tmp/\u202egpj.sh" })).toBe("/tmp/⟦U+202E⟧gpj.sh");
    expect(givenText({ "na\u202eme": ["\u2066x"] })).toBe('na⟦U+202E⟧me: ["⟦U+2066⟧x"]');
  });
});

import { describe, expect, it } from "vitest";
import { joinPartial } from "./partial";

describe("a growing answer", () => {
  it("takes pieces that the keeper had already only once", () => {
    expect(joinPartial("The heron", [" heron", " is", " grey"])).toBe("The heron is grey");
    expect(joinPartial("The heron is", [" heron", " is", " grey"])).toBe("The heron is grey");
    expect(joinPartial("The heron is grey", [" heron", " is", " grey"])).toBe("The heron is grey");
  });

  it("adds what it had not", () => {
    expect(joinPartial("The", [" heron"])).toBe("The heron");
    expect(joinPartial("", ["a", "b"])).toBe("ab");
    expect(joinPartial("a", [])).toBe("a");
  });
});

// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { readDiff } from "./diff";
import { DiffView } from "./diff-view";

afterEach(cleanup);

/** What stands in the line of a diff that adds a text, without its sign and its word. */
function shown(text: string): string | null | undefined {
  render(<DiffView lines={readDiff(`+${text}\n`)} label="Changes" />);
  const words = screen.getByRole("listitem").lastElementChild?.textContent;
  cleanup();
  return words;
}

it("what is hidden in a line is shown by its number, as everywhere", () => {
  expect(shown("a\u200bb \u202ec")).toBe("a⟦U+200B⟧b ⟦U+202E⟧c");
  expect(shown("\u001b[2J\u009b\u061c\u00ad\u034f\u3164\uffa0\u{e0041}")).toBe(
    "⟦U+001B⟧[2J⟦U+009B⟧⟦U+061C⟧⟦U+00AD⟧⟦U+034F⟧⟦U+3164⟧⟦U+FFA0⟧⟦U+E0041⟧",
  );
  expect(shown("a\r")).toBe("a⟦U+000D⟧");
  expect(shown("a\u200db")).toBe("a⟦U+200D⟧b");
});

it("tabs and what joins emoji stay as they are", () => {
  expect(shown("\tlet a = 1;\t# b")).toBe("\tlet a = 1;\t# b");
  expect(shown("👩‍🚀 é שלום")).toBe("👩‍🚀 é שלום");
});

it("a change is told by a sign and a word too", () => {
  render(<DiffView lines={readDiff(" a\n-b\n+c\n+d\n")} label="Changes" />);
  expect(screen.getByText("2 lines added, 1 removed")).toBeTruthy();
  const lines = screen.getAllByRole("listitem").map((line) => line.textContent);
  expect(lines).toEqual(["a", "−removed: b", "+added: c", "+added: d"]);
});

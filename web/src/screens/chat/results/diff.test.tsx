// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { ChangePreview } from "./diff";
import { DIFF } from "./samples.fixture";

afterEach(cleanup);

it("tells lines apart by sign, by a word, and by what they are", () => {
  const { container } = render(<ChangePreview label="What it would change" text={DIFF} />);
  const group = screen.getByRole("group", {
    name: "What it would change: work/a.md, 1 line added, 1 removed",
  });
  expect(group.tabIndex).toBe(0);
  expect(container.querySelector("ins")?.textContent).toBe("2+added: 2 and more");
  expect(container.querySelector("del")?.textContent).toBe("2-removed: two");
  expect(container.querySelectorAll("ins, del")).toHaveLength(2);
});

it("shows a new file as one", () => {
  render(<ChangePreview label="Change" text={"--- /dev/null\n+++ work/b\n@@ -0,0 +1 @@\n+one\n"} />);
  expect(screen.getByText("new file")).toBeTruthy();
});

it("shows the first lines of a long one, and the rest on demand", () => {
  const text = `--- a\n+++ a\n@@ -0,0 +1,320 @@\n${"+x\n".repeat(320)}`;
  const { container } = render(<ChangePreview label="Change" text={text} />);
  expect(container.querySelectorAll("ins")).toHaveLength(199);
  fireEvent.click(screen.getByRole("button", { name: "and 121 more" }));
  expect(container.querySelectorAll("ins")).toHaveLength(299);
  fireEvent.click(screen.getByRole("button", { name: "and 21 more" }));
  expect(container.querySelectorAll("ins")).toHaveLength(320);
  expect(screen.queryByRole("button")).toBeNull();
  expect(document.activeElement?.textContent).toBe("All 321 are shown.");
});

it("shows any other preview as the text that it is", () => {
  const text = "in `work`, without network, for at most 60 s:\n\nrm -r \u202Eold\n";
  render(<ChangePreview label="What it would change" text={text} />);
  expect(screen.getByRole("group", { name: "What it would change" }).textContent).toBe(
    text.replace("\u202E", "⟦U+202E⟧"),
  );
});

// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { LiveCall } from "@/live/state";
import { ToolCard } from "../tool-card";
import { Otherwise } from "./result";
import { DIFF } from "./samples.fixture";

afterEach(cleanup);

const CALL: LiveCall = {
  id: "1",
  name: "files.edit",
  arguments: { path: "work/a.md" },
  effect: "world",
  outcome: "ok",
  ethereal: false,
  content: JSON.stringify({ path: "work/a.md", digest: "ab", bytes: 20, lines: 3, undo: "id", diff: DIFF }),
  note: null,
  durationMs: 3,
  startedAt: null,
  approvalId: null,
  said: null,
};

/** Draws a card, opened. */
function card(more: Partial<LiveCall> = {}): HTMLElement {
  render(<ToolCard call={{ ...CALL, ...more }} isEpochOpen={false} />);
  const details = screen.getByTestId<HTMLDetailsElement>("tool-card");
  details.open = true;
  fireEvent(details, new Event("toggle"));
  return details;
}

it("a result is drawn in the form of its tool, and stands there as it was recorded too", () => {
  const details = card();
  expect(details.querySelector("ins")?.textContent).toContain("2 and more");
  expect(screen.getByRole("group", { name: "Result of files.edit" })).toBeTruthy();
  const recorded = screen.getByLabelText("Result of files.edit, as it was recorded");
  expect(recorded.textContent).toContain('"digest": "ab"');
});

it("nothing of a result is drawn before it is looked at", () => {
  render(<ToolCard call={CALL} isEpochOpen={false} />);
  expect(screen.queryByText("Result")).toBeNull();
});

it("a result of another shape, of a call that failed, or of any other tool is shown as it was recorded", () => {
  const cases: [Partial<LiveCall>, string][] = [
    [{ content: '{"path":7}' }, '{\n  "path": 7\n}'],
    [{ content: "no JSON\u202E" }, "no JSON⟦U+202E⟧"],
    [{ outcome: "error" }, '"digest": "ab"'],
    [{ outcome: "unknown", content: "outcome unknown" }, "outcome unknown"],
    [{ name: "clock.now", content: '{"now":"x"}' }, '{\n  "now": "x"\n}'],
  ];
  for (const [more, text] of cases) {
    const details = card(more);
    expect(details.querySelector("ins")).toBeNull();
    const name = more.name ?? CALL.name;
    expect(screen.getByLabelText(`Result of ${name}`).textContent).toContain(text);
    cleanup();
  }
});

it("of a result that is not kept the note stays, and nothing else is said", () => {
  const note = "8 results of a web search for “heron”; not kept";
  const details = card({ name: "internet.search", ethereal: true, content: null, note });
  expect(details.textContent).toContain(`Kept of its result: ${note}`);
  expect(screen.queryByText("Result")).toBeNull();
});

it("a form that fails costs the form alone", () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const Broken = () => {
    throw new Error("a defect");
  };
  render(
    <Otherwise show="as it was recorded">
      <Broken />
    </Otherwise>,
  );
  expect(screen.getByText("as it was recorded")).toBeTruthy();
});

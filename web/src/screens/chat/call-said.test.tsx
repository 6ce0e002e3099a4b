// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { type Said, withUpdate } from "@/live/said";
import type { LiveCall } from "@/live/state";
import { ToolCard } from "./tool-card";

const CALL: LiveCall = {
  id: "call_1_1",
  name: "shell.run",
  arguments: { command: "make" },
  effect: "world",
  outcome: null,
  ethereal: false,
  content: null,
  note: null,
  durationMs: null,
  startedAt: null,
  approvalId: null,
  said: null,
};

function said(text: string, before: Said | null = null): Said {
  const output = [{ stream: "stdout" as const, left_out_bytes: 0, text }];
  return withUpdate(before, { epoch_id: "e", call_id: CALL.id, sequence: before?.next ?? 0, output });
}

function card(more: Partial<LiveCall>, isEpochOpen = true) {
  return <ToolCard call={{ ...CALL, ...more }} isEpochOpen={isEpochOpen} />;
}

afterEach(cleanup);

it("shows what a running call writes, without opening its card, with what is hidden made visible", () => {
  render(card({ said: said("one\n\u202etwo\n") }));
  const lines = screen.getByLabelText("Output of shell.run so far").children;
  expect([...lines].map((line) => line.textContent)).toEqual(["one", "⟦U+202E⟧two"]);
});

it("shows steps as a bar with words, and as words alone where nobody knows how many there are", () => {
  const step = { done: 3, total: 4, message: "reading" };
  const { rerender } = render(card({ said: { next: 1, lines: [], gap: null, step } }));
  const bar = screen.getByRole<HTMLProgressElement>("progressbar", { name: "Steps of shell.run" });
  expect([bar.value, bar.max]).toEqual([3, 4]);
  expect(screen.getByTestId("call-said").textContent).toBe("3 of 4 · reading");
  rerender(card({ said: { next: 2, lines: [], gap: null, step: { done: 7 } } }));
  expect(screen.queryByRole("progressbar")).toBeNull();
  expect(screen.getByTestId("call-said").textContent).toBe("7");
});

it("stays at the end of what grows, unless somebody has scrolled away", () => {
  const first = said("one\n");
  const { rerender } = render(card({ said: first }));
  const box = screen.getByLabelText("Output of shell.run so far");
  let height = 500;
  Object.defineProperties(box, { scrollHeight: { get: () => height }, clientHeight: { get: () => 100 } });
  const second = said("two\n", first);
  rerender(card({ said: second }));
  expect(box.scrollTop).toBe(500);
  box.scrollTop = 200;
  box.dispatchEvent(new Event("scroll", { bubbles: true }));
  height = 900;
  const third = said("three\n", second);
  rerender(card({ said: third }));
  expect(box.scrollTop).toBe(200);
  box.scrollTop = 790;
  box.dispatchEvent(new Event("scroll", { bubbles: true }));
  rerender(card({ said: said("four\n", third) }));
  expect(box.scrollTop).toBe(900);
});

it("shows nothing of it when the call or its epoch has ended", () => {
  const { rerender } = render(card({ said: said("one\n"), outcome: "ok", content: "{}" }));
  expect(screen.queryByTestId("call-said")).toBeNull();
  rerender(card({ said: said("one\n") }, false));
  expect(screen.queryByTestId("call-said")).toBeNull();
});

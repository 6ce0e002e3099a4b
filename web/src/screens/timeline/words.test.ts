import { expect, it } from "vitest";
import type { AnyEvent } from "@/live/event";
import { line } from "./ledger.fixture";
import { told } from "./words";

const of = (kind: string, data: unknown) => told(line(1, { kind, data } as Partial<AnyEvent>));

it("says what an event is about where its kind alone says too little", () => {
  expect(of("stdout.written", { content: "a note\nof two lines" })).toBe("wrote: “a note of two lines”");
  expect(of("space.said", { content: "hi" })).toBe("something was said in a space, or between two: “hi”");
  expect(of("agent.faulted", { message: "no state" })).toMatch(/: “no state”$/);
});

it("leaves a phrase of the house as it is", () => {
  expect(of("epoch.opened", {})).toBe("took it up");
  expect(of("keeper.stopped", { reason: "asked to" })).toBe("stops: “asked to”");
  expect(of("watchdog.resumed", {})).toBe("maintenance is over");
});

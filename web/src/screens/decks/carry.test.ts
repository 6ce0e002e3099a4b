import { describe, expect, it } from "vitest";
import { type Carry, type CarryInput, type CarryStep, carry } from "./carry";
import { MOVE_ZONES } from "./zones";

const elf = { key: "k", name: "Elf", from: "main" as const };
const IDLE: Carry = { phase: "idle" };

/** Goes through inputs; gives the last step and all that was said. */
function through(...inputs: CarryInput[]): CarryStep & { all: string[] } {
  const all: string[] = [];
  let step: CarryStep = { next: IDLE };
  for (const input of inputs) {
    step = carry(step.next, input, MOVE_ZONES);
    if (step.say) all.push(step.say);
  }
  return { ...step, all };
}

const press = (pointer: "touch" | "mouse"): CarryInput => ({
  type: "press",
  card: elf,
  pointer,
  x: 10,
  y: 10,
});
const point = (x: number, y: number, over: "maybeboard" | null = null): CarryInput => ({
  type: "point",
  x,
  y,
  over,
});

describe("by keys", () => {
  it("picks up, chooses a place and drops, and says each", () => {
    const { next, drop, all } = through(
      { type: "pick", card: elf },
      { type: "step", by: 1 },
      { type: "drop" },
    );
    expect(next).toEqual(IDLE);
    expect(drop).toEqual({ key: "k", to: "maybeboard" });
    expect(all).toEqual([
      "Elf picked up from Deck, place 2 of 5. Arrows choose a place, Space drops, Escape puts it back.",
      "Maybeboard, place 3 of 5.",
      "Elf dropped in Maybeboard.",
    ]);
  });
  it("stays within the places", () => {
    const up = through({ type: "pick", card: elf }, ...Array<CarryInput>(9).fill({ type: "step", by: -1 }));
    expect(up.next).toMatchObject({ over: "commander" });
    const down = through({ type: "pick", card: elf }, ...Array<CarryInput>(9).fill({ type: "step", by: 1 }));
    expect(down.next).toMatchObject({ over: "companion" });
  });
  it("puts back by Escape, and drops nothing where it came from", () => {
    const back = through({ type: "pick", card: elf }, { type: "step", by: 1 }, { type: "cancel" });
    expect(back).toMatchObject({ next: IDLE, say: "Elf stays in Deck." });
    expect(back.drop).toBeUndefined();
    expect(through({ type: "pick", card: elf }, { type: "drop" }).drop).toBeUndefined();
  });
  it("finds its way from a place where nothing can be put", () => {
    const token = { key: "t", name: "Goblin", from: "tokens" as const };
    const { next, drop } = through({ type: "pick", card: token }, { type: "step", by: 1 }, { type: "drop" });
    expect(next).toEqual(IDLE);
    expect(drop).toEqual({ key: "t", to: "commander" });
  });
  it("is not moved by a pointer", () => {
    const { next } = through({ type: "pick", card: elf }, point(500, 500, "maybeboard"), { type: "release" });
    expect(next).toMatchObject({ phase: "carried", over: "main" });
  });
});

describe("by a mouse", () => {
  it("carries once it left the slop, and a click within it carries nothing", () => {
    expect(through(press("mouse"), point(18, 10)).next.phase).toBe("pressed");
    expect(through(press("mouse"), point(18, 10), { type: "release" })).toMatchObject({ next: IDLE });
    const { drop } = through(press("mouse"), point(19, 10), point(90, 90, "maybeboard"), { type: "release" });
    expect(drop).toEqual({ key: "k", to: "maybeboard" });
  });
  it("drops nothing outside of all places", () => {
    const out = through(press("mouse"), point(90, 90, "maybeboard"), point(1, 1), { type: "release" });
    expect(out.drop).toBeUndefined();
    expect(out.say).toBe("Elf stays in Deck.");
  });
  it("does not wait for a hold", () => {
    expect(through(press("mouse"), { type: "held" }).next.phase).toBe("pressed");
  });
});

describe("by a finger", () => {
  it("carries after it rested, and not before", () => {
    expect(through(press("touch"), point(14, 14), { type: "held" }).next.phase).toBe("carried");
    const { drop } = through(press("touch"), { type: "held" }, point(90, 90, "maybeboard"), {
      type: "release",
    });
    expect(drop).toEqual({ key: "k", to: "maybeboard" });
  });
  it("scrolls where it moves first, and what rests later is no hold", () => {
    expect(through(press("touch"), point(10, 30), { type: "held" }).next).toEqual(IDLE);
  });
  it("gives up where the browser takes it", () => {
    expect(through(press("touch"), { type: "held" }, { type: "cancel" })).toMatchObject({
      next: IDLE,
      say: "Elf stays in Deck.",
    });
    expect(through(press("touch"), { type: "cancel" }).all).toEqual([]);
  });
});

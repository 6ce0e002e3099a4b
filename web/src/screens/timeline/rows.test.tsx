// @vitest-environment jsdom
// What the rows of the timeline read while what they show grows.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AnyEvent } from "@/live/event";
import type { LiveEpoch } from "@/live/state";
import { EpochRow } from "./epoch-row";
import { GapRow } from "./gap-row";
import { PIECE_LINES } from "./queries";
import type { ReadQuery } from "./source";

const asked: [after: number, through: number][] = [];

vi.mock("./source", () => ({
  readLedger: async ({ after, through, limit }: ReadQuery) => {
    asked.push([after, through]);
    const upTo = Math.min(through, after + limit);
    const events = Array.from({ length: upTo - after }, (_, at) => lineOf(after + at + 1));
    return { events, through: upTo };
  },
}));
vi.mock("./line-row", () => ({ LineRow: ({ event }: { event: AnyEvent }) => <li>line {event.seq}</li> }));
vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <>{children}</>,
}));

const lineOf = (seq: number) =>
  ({
    seq,
    timestamp: new Date(seq).toISOString(),
    kind: "agent.ready",
    data: {},
    entity: "@felix",
  }) as AnyEvent;

beforeEach(() => {
  asked.length = 0;
});
afterEach(cleanup);

/** Draws a row, and the same again with something else. */
function drawn(row: ReactNode): (row: ReactNode) => void {
  const client = new QueryClient();
  const within = (one: ReactNode) => <QueryClientProvider client={client}>{one}</QueryClientProvider>;
  const { rerender } = render(within(row));
  return (next) => rerender(within(next));
}

const gap = (last: number) => <GapRow gap={{ after: "e1", first: 11, last }} isOpen onToggle={() => {}} />;

it("a gap that grows reads what is new, one that shrinks shows no more than it has", async () => {
  const again = drawn(gap(12));
  await screen.findByText("line 12");
  again(gap(14));
  await screen.findByText("line 14");
  expect(asked).toEqual([
    [10, 12],
    [12, 14],
  ]);
  again(gap(13));
  await waitFor(() => expect(screen.queryByText("line 14")).toBeNull());
  expect(screen.getByText("line 13")).toBeTruthy();
  expect(asked).toHaveLength(2);
});

it("a long gap reads one piece, and further when it is told to", async () => {
  drawn(gap(10 + 3 * PIECE_LINES));
  (await screen.findByRole("button", { name: "Read further" })).click();
  await screen.findByText(`line ${10 + 2 * PIECE_LINES}`);
  expect(asked).toHaveLength(2);
});

const epoch = (lastSeq: number, state: string) =>
  ({
    id: "e",
    agent: "felix",
    sender: "kim",
    content: "",
    state,
    firstSeq: 1,
    lastSeq,
    turns: [],
    phase: "thinking",
  }) as unknown as LiveEpoch;
const row = (one: LiveEpoch, isOpen = false) => <EpochRow epoch={one} isOpen={isOpen} onToggle={() => {}} />;

it("an epoch that runs reads each line once, and nothing again when it ends", async () => {
  const again = drawn(row(epoch(3, "executing"), true));
  await screen.findByText("line 3");
  again(row(epoch(5, "executing"), true));
  await screen.findByText("line 5");
  again(row(epoch(5, "committed"), true));
  expect(asked).toEqual([
    [0, 3],
    [3, 5],
  ]);
});

it("a folded row of one that ended reads one piece, the rest when it is opened", async () => {
  const long = epoch(2 * PIECE_LINES, "committed");
  const again = drawn(row(long));
  await waitFor(() => expect(asked).toHaveLength(1));
  await new Promise((done) => setTimeout(done, 20));
  expect(asked).toHaveLength(1);
  again(row(long, true));
  await screen.findByText(`line ${2 * PIECE_LINES}`);
  expect(asked).toHaveLength(2);
});

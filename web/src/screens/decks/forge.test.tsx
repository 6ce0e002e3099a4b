// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, act as inAct, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { DeckStateView } from "@/api/generated";
import { listenForKeys } from "@/app/commands";
import type { Toast } from "@/app/toasts";
import { Board } from "./board";
import { HOLD_MS } from "./carry";
import { card, deckState, forest, line, proposal, summary } from "./deck.fixture";
import { deckQuery } from "./queries";
import { Review } from "./review";
import type { Unticked } from "./review-model";

const [toast, toastError, drop] = vi.hoisted(() => [vi.fn(), vi.fn(), vi.fn()]);
vi.mock("@/app/toasts", () => ({ toast, toastError, drop }));

interface Sent {
  path: string;
  body: Record<string, unknown>;
}

const lastToast = () => toast.mock.lastCall?.[0] as Toast | undefined;

/** A keeper of one deck. */
const keeper = {
  state: deckState(),
  sent: [] as Sent[],
  answer: (_: Sent): Response | null => null,
};
let client: QueryClient;
let endKeys: () => void;

beforeEach(() => {
  keeper.state = deckState();
  keeper.sent.length = 0;
  keeper.answer = () => null;
  toast.mockClear().mockReturnValue(7);
  toastError.mockClear();
  drop.mockClear();
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  Element.prototype.scrollIntoView = vi.fn();
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (init.method === "GET") return Response.json(keeper.state);
    const sent = { path, body: JSON.parse(String(init.body)) };
    keeper.sent.push(sent);
    return keeper.answer(sent) ?? Response.json(keeper.state);
  });
  client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 60_000 } } });
  endKeys = listenForKeys();
});

afterEach(() => {
  endKeys();
  cleanup();
  vi.unstubAllGlobals();
});

function Shown({ of }: { of: (state: DeckStateView) => React.ReactNode }) {
  return <QueryClientProvider client={client}>{of(keeper.state)}</QueryClientProvider>;
}

function drawBoard() {
  client.setQueryData(deckQuery("d1").queryKey, keeper.state);
  const of = (state: DeckStateView) => <Board state={state} isImported wanted={null} onShown={() => {}} />;
  const view = render(<Shown of={of} />);
  return () => view.rerender(<Shown of={of} />);
}

const cardOf = (name: string) =>
  screen.getByRole("button", { name: new RegExp(name), description: /Arrows move/ });
const refusal = (detail?: unknown) =>
  Response.json(
    { error: { code: "conflict", message: "the deck is at revision 5 now", ...(detail ? { detail } : {}) } },
    { status: 409 },
  );

it("the board shows what is wrong at the card, and what of the list was not understood", () => {
  drawBoard();
  const bears = cardOf("Grizzly Bears").closest("li");
  expect(within(bears as HTMLElement).getByText("Only one is allowed.")).toBeTruthy();
  const unread = screen.getByTestId("unread");
  expect(unread.textContent).toContain("1 Blitzschlag");
  expect(unread.textContent).toContain("no card has this English name");
});

it("one card alone is reached by Tab, and arrows lead to the others", () => {
  drawBoard();
  const reached = () =>
    [...document.querySelectorAll("[data-card][tabindex='0']")].map((one) => one.textContent);
  expect(reached()).toHaveLength(1);
  cardOf("Ezuri").focus();
  fireEvent.keyDown(cardOf("Ezuri"), { key: "ArrowDown" });
  expect(document.activeElement?.textContent).toContain("Llanowar Elves");
  expect(reached()).toHaveLength(1);
});

it("a card is carried by keys to another place, spoken, edited once and followed by the focus", async () => {
  const again = drawBoard();
  keeper.answer = () => {
    keeper.state = deckState({
      rev: 5,
      cards: keeper.state.cards.map((one) =>
        one.name === "Grizzly Bears" ? { ...one, zone: "maybeboard" } : one,
      ),
    });
    return Response.json(keeper.state);
  };
  cardOf("Grizzly Bears").focus();
  fireEvent.keyDown(cardOf("Grizzly Bears"), { key: " " });
  expect(screen.getByTestId("carry-said").textContent).toMatch(/^Grizzly Bears picked up from Deck/);
  expect(screen.getByTestId("drop-bar")).toBeTruthy();
  fireEvent.keyDown(cardOf("Grizzly Bears"), { key: "ArrowRight" });
  expect(screen.getByTestId("carry-said").textContent).toMatch(/^Maybeboard/);
  await inAct(async () => {
    fireEvent.keyDown(cardOf("Grizzly Bears"), { key: " " });
  });
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(keeper.sent).toEqual([
    {
      path: "/deck/edit",
      body: {
        deck_id: "d1",
        deck_rev: 4,
        ops: [
          {
            op: "move",
            entry: { card: { id: "grizzly-bears", name: "Grizzly Bears" }, zone: "main", finish: "nonfoil" },
            to: "maybeboard",
            count: 1,
          },
        ],
      },
    },
  ]);
  again();
  expect(document.activeElement?.getAttribute("data-card")).toMatch(/^maybeboard\|grizzly-bears/);
  expect(screen.queryByTestId("drop-bar")).toBeNull();
});

it("Escape puts a carried card back and changes nothing", () => {
  drawBoard();
  const bears = cardOf("Grizzly Bears");
  fireEvent.keyDown(bears, { key: " " });
  fireEvent.keyDown(bears, { key: "ArrowDown" });
  fireEvent.keyDown(bears, { key: "Escape" });
  expect(screen.getByTestId("carry-said").textContent).toBe("Grizzly Bears stays in Deck.");
  expect(keeper.sent).toEqual([]);
});

it("quick presses of + go one after another, each on the revision before it, with one toast that undoes the last", async () => {
  drawBoard();
  keeper.answer = ({ path }) => {
    if (path !== "/deck/edit") return null;
    const { rev, cards } = keeper.state;
    const count = (cards.find((one) => one.name === "Forest")?.count ?? 0) + 1;
    keeper.state = deckState({
      rev: rev + 1,
      cards: cards.map((one) => (one.name === "Forest" ? forest(count) : one)),
    });
    return Response.json(keeper.state);
  };
  const woods = cardOf("Forest");
  for (let press = 0; press < 3; press += 1) fireEvent.keyDown(woods, { key: "+" });
  await waitFor(() => expect(toast).toHaveBeenCalledTimes(3));
  expect(keeper.sent.map((one) => one.body.deck_rev)).toEqual([4, 5, 6]);
  expect(drop).toHaveBeenCalled();
  await inAct(async () => lastToast()?.undo?.run());
  await waitFor(() =>
    expect(keeper.sent.at(-1)).toEqual({ path: "/deck/undo", body: { deck_id: "d1", rev: 7 } }),
  );
});

it("an edit that does not fit any more is refused in words, and the deck is read anew", async () => {
  drawBoard();
  keeper.answer = () => refusal();
  fireEvent.keyDown(cardOf("Forest"), { key: "-" });
  await waitFor(() =>
    expect(toastError).toHaveBeenCalledWith(
      "The deck changed meanwhile; nothing was done",
      expect.anything(),
    ),
  );
  expect(toast).not.toHaveBeenCalled();
});

it("cards that could lead a deck are offered, and none is picked for anybody", async () => {
  keeper.state = deckState({ commander: [], commander_candidates: [{ oracle_id: "e", name: "Ezuri" }] });
  drawBoard();
  expect(keeper.sent).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Ezuri" }));
  await waitFor(() => expect(keeper.sent).toHaveLength(1));
  expect(keeper.sent[0]?.body.ops).toEqual([{ op: "set_commanders", cards: [{ id: "e", name: "Ezuri" }] }]);
});

it("a finger that rests picks up, but not where it stops a page that glides: that finger is the browser's", async () => {
  drawBoard();
  const elves = cardOf("Llanowar Elves");
  const rest = async (cancelable: boolean) => {
    fireEvent.pointerDown(elves, { pointerType: "touch", button: 0, clientX: 10, clientY: 10 });
    fireEvent(elves, new Event("touchstart", { bubbles: true, cancelable }));
    await inAct(async () => vi.advanceTimersByTime(2 * HOLD_MS));
  };
  vi.useFakeTimers();
  try {
    await rest(false);
    expect(screen.queryByTestId("drop-bar")).toBeNull();
    await rest(true);
    expect(screen.queryByTestId("drop-bar")).not.toBeNull();
    await inAct(async () => void fireEvent.pointerUp(window));
    expect(screen.queryByTestId("drop-bar")).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it("a picture that cannot be had leaves the card's text, and nothing is asked for where there is none", async () => {
  keeper.state = deckState({ cards: [card("Elf", { image: true }), card("Bear")] });
  drawBoard();
  expect(document.querySelectorAll("img")).toHaveLength(1);
  const small = document.querySelector("img");
  expect(small?.getAttribute("src")).toBe("/cards/elf/image?size=small");
  expect(small?.getAttribute("loading")).toBe("lazy");
  vi.useFakeTimers();
  fireEvent.pointerEnter(cardOf("Elf"), { pointerType: "mouse" });
  await inAct(async () => vi.advanceTimersByTime(300));
  vi.useRealTimers();
  const tip = screen.getByRole("tooltip");
  const picture = tip.querySelector("img");
  expect(picture?.getAttribute("src")).toBe("/cards/elf/image?size=normal");
  expect(within(tip).getByTestId("text-card").className).not.toContain("sr-only");
  fireEvent.load(picture as Element);
  expect(within(tip).getByTestId("text-card").className).toContain("sr-only");
  fireEvent.error(picture as Element);
  expect(tip.querySelector("img")).toBeNull();
  expect(within(tip).getByTestId("text-card").className).not.toContain("sr-only");
});

/** The review with ticks that live as long as the page. */
function drawReview(state: DeckStateView): void {
  keeper.state = state;
  client.setQueryData(deckQuery("d1").queryKey, state);
  let ticks: Record<string, Unticked> = {};
  const of = (now: DeckStateView) => (
    <Review
      state={now}
      chosen={undefined}
      onChoose={() => {}}
      ticks={ticks}
      onTicks={(id, unticked) => {
        ticks = { ...ticks, [id]: unticked };
        redraw();
      }}
    />
  );
  const view = render(<Shown of={of} />);
  const redraw = () => view.rerender(<Shown of={of} />);
}

const key = (name: string) =>
  inAct(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key: name }));
const boxOf = (name: string) => screen.getByRole<HTMLInputElement>("checkbox", { name });

it("a proposal shows all its lines, each in its state, and ticks what can be used", () => {
  drawReview(deckState());
  expect(boxOf("Add 1 × Sol Ring").checked).toBe(true);
  const stale = boxOf("Swap 1 × Llanowar Elves for Birds of Paradise");
  expect([stale.checked, stale.disabled]).toEqual([false, true]);
  expect(stale.closest("li")?.textContent).toContain("Llanowar Elves: 1 → 0 in revision 4");
  expect(boxOf("Add 1 × Craterhoof Behemoth").closest("li")?.textContent).toContain("“too expensive”");
  expect(screen.getByTestId("effect").textContent).toContain("$126.00");
});

it("j, k and x go through lines, and what is ticked is worked out by the keeper", async () => {
  keeper.answer = ({ path }) =>
    path === "/deck/effect"
      ? Response.json({ before: summary(), after: summary({ count: 101, legal: false }), differences: [] })
      : null;
  drawReview(deckState());
  await key("j");
  expect(document.activeElement).toBe(boxOf("Remove 1 × Grizzly Bears"));
  expect(screen.getByTestId("position").textContent).toBe("2 of 4");
  await key("x");
  expect(boxOf("Remove 1 × Grizzly Bears").checked).toBe(false);
  await waitFor(() => expect(screen.getByTestId("effect").textContent).toContain("→ 101"));
  expect(keeper.sent).toEqual([{ path: "/deck/effect", body: { proposal_id: "p1", ops: [1] } }]);
  await key("k");
  await key("k");
  expect(screen.getByTestId("position").textContent).toBe("1 of 4");
});

it("a refused approval says what changed, keeps the ticks, and the rest goes by the next a", async () => {
  drawReview(deckState());
  keeper.answer = ({ path }) =>
    path === "/deck/approve"
      ? refusal({ conflicts: [{ id: 1, cause: "Sol Ring came in meanwhile", changes: [] }, { id: "?" }] })
      : null;
  await key("j");
  await key("x");
  await key("k");
  await key("a");
  const conflict = await screen.findByTestId("conflict");
  expect(conflict.textContent).toContain("Add 1 × Sol Ring: Sol Ring came in meanwhile");
  expect(boxOf("Add 1 × Sol Ring").checked).toBe(true);
  expect(boxOf("Remove 1 × Grizzly Bears").checked).toBe(false);
  expect(toast).not.toHaveBeenCalled();
  keeper.answer = () => null;
  await key("a");
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(screen.queryByTestId("conflict")).toBeNull();
  expect(keeper.sent.filter((one) => one.path === "/deck/approve").map((one) => one.body.ops)).toEqual([
    [1],
    [1],
  ]);
});

it("two presses of a approve once", async () => {
  drawReview(deckState());
  await inAct(async () => {
    fireEvent.keyDown(document.body, { key: "a" });
    fireEvent.keyDown(document.body, { key: "a" });
  });
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(keeper.sent.filter((one) => one.path === "/deck/approve")).toHaveLength(1);
});

it("r rejects the line with a reason, which can be taken back", async () => {
  drawReview(deckState());
  await key("r");
  const reason = await screen.findByLabelText(/^Why/);
  fireEvent.change(reason, { target: { value: " it is banned here " } });
  await inAct(async () => void fireEvent.keyDown(reason, { key: "Enter" }));
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(keeper.sent).toEqual([
    { path: "/deck/reject", body: { proposal_id: "p1", ops: [1], reason: "it is banned here" } },
  ]);
  await inAct(async () => lastToast()?.undo?.run());
  await waitFor(() =>
    expect(keeper.sent.at(-1)).toEqual({ path: "/deck/reopen", body: { proposal_id: "p1", ops: [1] } }),
  );
});

it("e rewrites the line", async () => {
  drawReview(deckState());
  await key("e");
  const count = await screen.findByLabelText("How many");
  fireEvent.change(count, { target: { value: "2" } });
  expect(screen.getByText("Now: Add 2 × Sol Ring")).toBeTruthy();
  await inAct(async () => void fireEvent.click(screen.getByRole("button", { name: "Rewrite" })));
  await waitFor(() => expect(keeper.sent).toHaveLength(1));
  expect(keeper.sent[0]).toMatchObject({
    path: "/deck/rewrite",
    body: { proposal_id: "p1", op: 1, line: { op: "add", count: 2 } },
  });
});

it("lines that cannot be done together are said to be, and hostile texts stay texts", () => {
  const hostile = '<img src=x onerror="alert(1)">\u202e';
  drawReview(
    deckState({
      proposals: [
        proposal({
          after: null,
          problem: "line 2: Grizzly Bears is not there",
          reason: hostile,
          by: { who: "agent", name: hostile },
          ops: [line(1, { op: "rename", name: hostile })],
        }),
      ],
    }),
  );
  expect(screen.getByTestId("effect").textContent).toContain("Grizzly Bears is not there");
  expect(document.querySelector("img")).toBeNull();
  expect(document.body.textContent).not.toContain("\u202e");
});

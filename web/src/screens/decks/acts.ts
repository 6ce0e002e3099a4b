// What a person does with a deck. Each act shows its end when the keeper says so, and most can be taken back from the toast that says
// they were done. Acts on one deck go one after another, each on the revision that the one before it made.
import type { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";
import type { DeckOp, DeckStateView } from "@/api/generated";
import { drop, toast, toastError } from "@/app/toasts";
import { deckQuery } from "./queries";
import { editDeck, reopenLines, undoRevision } from "./routes";

const UNDO_MS = 10_000;

/** By deck, the act that runs or ran last. */
const turns = new Map<string, Promise<unknown>>();
/** By deck, the toast of the last small change: one of them stands at a time. */
const lastToasts = new Map<string, number>();

/** Does something after what was begun before on the same deck. */
export function inTurn<T>(deck: string, run: () => Promise<T>): Promise<T> {
  const before = turns.get(deck) ?? Promise.resolve();
  const next = before.then(run, run);
  const settled = next
    .catch(() => undefined)
    .then(() => {
      if (turns.get(deck) === settled) turns.delete(deck);
    });
  turns.set(deck, settled);
  return next;
}

/** Keeps what the keeper answered, unless something newer is known. */
export function keepState(client: QueryClient, state: DeckStateView): void {
  client.setQueryData(deckQuery(state.deck_id).queryKey, (known: DeckStateView | undefined) =>
    known && known.rev > state.rev ? known : state,
  );
}

const notesKey = (deck: string) => ["deck-notes", deck];

/** What a list said that does not hold is in the answer to it alone; this page keeps it. */
export function keepNotes(client: QueryClient, state: DeckStateView): void {
  client.setQueryData(notesKey(state.deck_id), state.import_notes ?? []);
}

export function notesOf(client: QueryClient, deck: string): readonly string[] {
  return client.getQueryData<string[]>(notesKey(deck)) ?? [];
}

/** Reads the deck anew: something else than expected happened to it. */
export function readAgain(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ["decks"] });
}

/** Edits a deck and says so with a way back; true where it was done. */
export function edit(
  client: QueryClient,
  deck: string,
  ops: readonly DeckOp[],
  done: string | ((state: DeckStateView) => string),
): Promise<boolean> {
  return inTurn(deck, async () => {
    const known = client.getQueryData(deckQuery(deck).queryKey);
    try {
      const state = await editDeck(deck, known?.rev ?? 0, ops);
      keepState(client, state);
      say(client, state, typeof done === "string" ? done : done(state));
      return true;
    } catch (error) {
      refused(client, error);
      return false;
    }
  });
}

function say(client: QueryClient, state: DeckStateView, done: string): void {
  const before = lastToasts.get(state.deck_id);
  if (before !== undefined) drop(before);
  lastToasts.set(
    state.deck_id,
    toast({
      title: done,
      ms: UNDO_MS,
      undo: { label: "Undo", run: () => void undo(client, state.deck_id, state.rev) },
    }),
  );
}

/** Takes a revision back; true where it was done. */
export function undo(client: QueryClient, deck: string, rev: number): Promise<boolean> {
  return inTurn(deck, async () => {
    try {
      keepState(client, await undoRevision(deck, rev));
      return true;
    } catch (error) {
      void readAgain(client);
      toastError("It could not be undone", error);
      return false;
    }
  });
}

/** Does something else with a deck; the error where it failed. */
export function act(
  client: QueryClient,
  deck: string,
  run: () => Promise<DeckStateView>,
): Promise<{ state: DeckStateView; error?: undefined } | { error: unknown; state?: undefined }> {
  return inTurn(deck, async () => {
    try {
      const state = await run();
      keepState(client, state);
      return { state };
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) void readAgain(client);
      return { error };
    }
  });
}

/** Says what was done to lines that can be opened again. */
export function sayRefused(
  client: QueryClient,
  deck: string,
  proposal: string,
  lines: readonly number[],
): void {
  toast({
    title: lines.length === 1 ? "1 line rejected" : `${lines.length} lines rejected`,
    ms: UNDO_MS,
    undo: {
      label: "Undo",
      run: () =>
        void act(client, deck, () => reopenLines(proposal, lines)).then(
          ({ error }) => error !== undefined && toastError("It could not be undone", error),
        ),
    },
  });
}

/** Says that lines were taken, with a way back that opens them again. */
export function sayTaken(client: QueryClient, state: DeckStateView, lines: number): void {
  toast({
    title: lines === 1 ? "1 line approved" : `${lines} lines approved`,
    ms: UNDO_MS,
    undo: { label: "Undo", run: () => void undo(client, state.deck_id, state.rev) },
  });
}

/** Says why an edit was not done; where the deck moved on, the page follows it. */
function refused(client: QueryClient, error: unknown): void {
  const isConflict = error instanceof ApiError && error.status === 409;
  if (isConflict) void readAgain(client);
  toastError(isConflict ? "The deck changed meanwhile; nothing was done" : "That did not work", error);
}

// What is read of decks. The first word of a key is its topic, see `live/topics.ts`: each event about a deck makes all of them stale.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";
import {
  compareDecks,
  drawHand,
  exportDeck,
  findCards,
  listDecks,
  readDeck,
  readEffect,
  readHistory,
  readLoaded,
  readTable,
} from "./routes";

/** Cards that a search shows. */
const FOUND_MAX = 12;
/** Between two looks at a card table that is being made: no event says how far it is. */
const LOOK_MS = 2_000;

export const decksQuery = queryOptions({
  queryKey: ["decks", "list"],
  queryFn: (context) => listDecks(context),
});

export const deckQuery = (id: string) =>
  queryOptions({
    queryKey: ["decks", "state", id],
    queryFn: (context) => readDeck(id, context),
  });

/** The id of the deck that an agent works on; null where it has none. */
export const loadedQuery = (agent: string) =>
  queryOptions({
    queryKey: ["decks", "loaded", agent],
    queryFn: async (context) => {
      try {
        return (await readLoaded(agent, context)).deck_id;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });

export const historyQuery = (id: string) =>
  queryOptions({
    queryKey: ["decks", "history", id],
    queryFn: (context) => readHistory(id, context),
  });

export const effectQuery = (deck: string, proposal: string, rev: number, ops: readonly number[]) =>
  queryOptions({
    queryKey: ["decks", "effect", deck, proposal, rev, ops],
    queryFn: (context) => readEffect(proposal, ops, context),
    placeholderData: keepPreviousData,
    retry: false,
  });

export const compareQuery = (left: string, right: string) =>
  queryOptions({
    queryKey: ["decks", "compare", left, right],
    queryFn: (context) => compareDecks(left, right, context),
    enabled: right !== "",
  });

export const exportQuery = (id: string, format: string) =>
  queryOptions({
    queryKey: ["decks", "export", id, format],
    queryFn: (context) => exportDeck(id, format, context),
  });

/** A hand; `times` tells one drawing from the next where no seed is asked for. */
export const handQuery = (id: string, drawn: { times: number; mulligans: number; seed: number | null }) =>
  queryOptions({
    queryKey: ["deck-hand", id, drawn],
    queryFn: (context) => drawHand(id, drawn.mulligans, drawn.seed, context),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The cards that the keeper knows of. */
export const tableQuery = queryOptions({
  queryKey: ["cards", "table"],
  queryFn: (context) => readTable(context),
  refetchInterval: ({ state }) =>
    state.data && (state.data.state === "loading" || state.data.state === "pulling") ? LOOK_MS : false,
});

export const foundQuery = (q: string, deck: string, isAnyColour: boolean) =>
  queryOptions({
    queryKey: ["cards", "found", q, deck, isAnyColour],
    queryFn: (context) =>
      findCards({ q, deck_id: deck, limit: FOUND_MAX, any: isAnyColour ? 1 : undefined }, context),
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
    retry: false,
  });

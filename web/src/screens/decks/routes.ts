// The deck routes, each by the one way to the keeper.
import { call as callAny } from "@/api/client";
import type {
  CardDifference,
  CardFactsView,
  DeckExportView,
  DeckItemView,
  DeckOp,
  DeckPlaytestView,
  DeckRevisionView,
  DeckStateView,
  DeckSummaryView,
} from "@/api/generated";

/** What the keeper knows of cards. */
export interface CardTableView {
  state: string;
  cards: number;
  hint?: string | null;
}

interface Given {
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

const call = callAny as unknown as (route: string, given?: Given) => Promise<unknown>;

/** Decks and revisions that are shown: as many as a page of the keeper holds. */
const LISTED = 500;

type Signal = { signal?: AbortSignal | undefined };
const post = (path: string, body: unknown) => call(`POST ${path}`, { body }) as Promise<DeckStateView>;

export const listDecks = ({ signal }: Signal) =>
  call("GET /deck/list", { query: { limit: LISTED }, signal }) as Promise<{ items: DeckItemView[] }>;

export const readDeck = (deck_id: string, { signal }: Signal) =>
  call("GET /deck/state", { query: { deck_id }, signal }) as Promise<DeckStateView>;

/** The deck that an agent works on. */
export const readLoaded = (citizen: string, { signal }: Signal) =>
  call("GET /deck/state", { query: { citizen }, signal }) as Promise<DeckStateView>;

export const readHistory = (deck_id: string, { signal }: Signal) =>
  call("GET /deck/history", { query: { deck_id, limit: LISTED }, signal }) as Promise<{
    items: DeckRevisionView[];
  }>;

export const readTable = ({ signal }: Signal) => call("GET /cards", { signal }) as Promise<CardTableView>;

export const findCards = (
  query: { q: string; deck_id?: string; limit: number; any?: number | undefined },
  { signal }: Signal,
) => call("GET /deck/cards", { query, signal }) as Promise<{ items: CardFactsView[] }>;

export const compareDecks = (left: string, right: string, { signal }: Signal) =>
  call("GET /deck/compare", { query: { left, right }, signal }) as Promise<{ items: CardDifference[] }>;

export const exportDeck = (deck_id: string, format: string, { signal }: Signal) =>
  call("GET /deck/export", { query: { deck_id, format }, signal }) as Promise<DeckExportView>;

export const drawHand = (deck_id: string, mulligans: number, seed: number | null, { signal }: Signal) =>
  call("GET /deck/playtest", { query: { deck_id, mulligans, seed }, signal }) as Promise<DeckPlaytestView>;

export const readEffect = (proposal_id: string, ops: readonly number[], { signal }: Signal) =>
  call("POST /deck/effect", { body: { proposal_id, ops }, signal }) as Promise<{
    before: DeckSummaryView;
    after: DeckSummaryView;
  }>;

export const createDeck = (body: { name: string; format: string; commander?: string; cards?: string }) =>
  post("/deck/create", body);

export const loadDeck = (deck_id: string, citizen: string) => post("/deck/load", { deck_id, citizen });

export const editDeck = (deck_id: string, deck_rev: number, ops: readonly DeckOp[]) =>
  post("/deck/edit", { deck_id, deck_rev, ops });

export const undoRevision = (deck_id: string, rev: number) => post("/deck/undo", { deck_id, rev });

export const approveLines = (proposal_id: string, ops: readonly number[], despite_conflict = false) =>
  post("/deck/approve", { proposal_id, ops, despite_conflict });

export const rejectLines = (proposal_id: string, ops: readonly number[], reason: string) =>
  post("/deck/reject", { proposal_id, ops, reason });

export const reopenLines = (proposal_id: string, ops: readonly number[]) =>
  post("/deck/reopen", { proposal_id, ops });

export const rewriteLine = (proposal_id: string, op: number, line: DeckOp) =>
  post("/deck/rewrite", { proposal_id, op, line });

export const forkDeck = (deck_id: string, rev: number, name: string) =>
  post("/deck/fork", { deck_id, rev, name });

export const setBracket = (deck_id: string, bracket: number | null) =>
  post("/deck/bracket", { deck_id, bracket });

/** Where the keeper has the picture of a card; an `img` asks for it itself. */
export function imagePath(oracleId: string, size: "small" | "normal", face = 0): string {
  const side = face > 0 ? `&face=${face}` : "";
  return `/cards/${encodeURIComponent(oracleId)}/image?size=${size}${side}`;
}

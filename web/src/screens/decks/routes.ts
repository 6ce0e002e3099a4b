// The deck routes, each by the one way to the keeper.
import { call } from "@/api/client";
import type { DeckOp } from "@/api/generated";

/** Decks and revisions that are shown: as many as a page of the keeper holds. */
const LISTED = 500;

type Signal = { signal?: AbortSignal | undefined };

export const listDecks = ({ signal }: Signal) => call("GET /deck/list", { query: { limit: LISTED }, signal });

export const readDeck = (deck_id: string, { signal }: Signal) =>
  call("GET /deck/state", { query: { deck_id }, signal });

/** The deck that an agent works on. */
export const readLoaded = (citizen: string, { signal }: Signal) =>
  call("GET /deck/state", { query: { citizen }, signal });

export const readHistory = (deck_id: string, { signal }: Signal) =>
  call("GET /deck/history", { query: { deck_id, limit: LISTED }, signal });

export const readTable = ({ signal }: Signal) => call("GET /cards", { signal });

export const findCards = (
  query: { q: string; deck_id?: string; limit: number; any?: number | undefined },
  { signal }: Signal,
) => call("GET /deck/cards", { query, signal });

export const compareDecks = (left: string, right: string, { signal }: Signal) =>
  call("GET /deck/compare", { query: { left, right }, signal });

export const exportDeck = (deck_id: string, format: string, { signal }: Signal) =>
  call("GET /deck/export", { query: { deck_id, format }, signal });

export const drawHand = (deck_id: string, mulligans: number, seed: number | null, { signal }: Signal) =>
  call("GET /deck/playtest", { query: { deck_id, mulligans, seed }, signal });

export const readEffect = (proposal_id: string, ops: readonly number[], { signal }: Signal) =>
  call("POST /deck/effect", { body: { proposal_id, ops: [...ops] }, signal });

export const createDeck = (body: { name: string; format: string; commander?: string; cards?: string }) =>
  call("POST /deck/create", { body: body });

export const loadDeck = (deck_id: string, citizen: string) =>
  call("POST /deck/load", { body: { deck_id, citizen } });

export const editDeck = (deck_id: string, deck_rev: number, ops: readonly DeckOp[]) =>
  call("POST /deck/edit", { body: { deck_id, deck_rev, ops: [...ops] } });

export const undoRevision = (deck_id: string, rev: number) =>
  call("POST /deck/undo", { body: { deck_id, rev } });

export const approveLines = (proposal_id: string, ops: readonly number[], despite_conflict = false) =>
  call("POST /deck/approve", { body: { proposal_id, ops: [...ops], despite_conflict } });

export const rejectLines = (proposal_id: string, ops: readonly number[], reason: string) =>
  call("POST /deck/reject", { body: { proposal_id, ops: [...ops], reason } });

export const reopenLines = (proposal_id: string, ops: readonly number[]) =>
  call("POST /deck/reopen", { body: { proposal_id, ops: [...ops] } });

export const rewriteLine = (proposal_id: string, op: number, line: DeckOp) =>
  call("POST /deck/rewrite", { body: { proposal_id, op, line } });

export const forkDeck = (deck_id: string, rev: number, name: string) =>
  call("POST /deck/fork", { body: { deck_id, rev, name } });

export const setBracket = (deck_id: string, bracket: number | null) =>
  call("POST /deck/bracket", { body: { deck_id, bracket } });

/** Where the keeper has the picture of a card; an `img` asks for it itself. */
export function imagePath(oracleId: string, size: "small" | "normal", face = 0): string {
  const side = face > 0 ? `&face=${face}` : "";
  return `/cards/${encodeURIComponent(oracleId)}/image?size=${size}${side}`;
}

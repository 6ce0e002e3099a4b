// The ledger's past, read in pages: any place of it alone. What is not wanted is left out here; what the keeper can leave out itself
// (a life, kinds, an epoch, a text) is asked of `GET /ledger` as such.
import { type AnyEvent, eventOf } from "@/live/event";
import { call } from "./client";

/** Lines of one page at most, as the keeper bounds it. */
const PAGE_LINES = 500;

export interface HistoryQuery {
  /** Events behind this sequence. */
  after: number;
  /** Not beyond this one; the log's end if left out. */
  through?: number;
  thoughts?: boolean;
  /** Stops behind so many lines, wanted or not. */
  limit?: number;
  wants?: (event: AnyEvent) => boolean;
  signal?: AbortSignal;
}

export interface KindsQuery {
  /** Kinds, or groups of them (`sleep.*`). */
  kinds: readonly string[];
  /** Events before this sequence. */
  before: number;
  limit?: number;
  /** Agent. */
  citizen?: string;
  signal?: AbortSignal;
}

/** The newest events of some kinds before a place, the oldest first, and where to go on before them; 0 where nothing stands there. */
export async function readKinds(query: KindsQuery): Promise<{ events: AnyEvent[]; before: number }> {
  const { kinds, before, limit = PAGE_LINES, citizen, signal } = query;
  const page = await call("GET /ledger", {
    query: { kinds: kinds.join(","), before, limit, citizen },
    signal,
  });
  const events = page.items.map(eventOf).filter((event) => event !== null);
  return { events: events.reverse(), before: page.next ? Number(page.next) : 0 };
}

/** Events of the past, the oldest first, and the sequence up to which was read. */
export async function readEvents(query: HistoryQuery): Promise<{ events: AnyEvent[]; through: number }> {
  const { after, limit = PAGE_LINES, thoughts, signal, wants = () => true } = query;
  const end = query.through ?? (await call("GET /snapshot", { signal })).seq;
  const through = Math.min(end, after + limit);
  const events: AnyEvent[] = [];
  let at = after;
  while (at < through) {
    const lines = Math.min(PAGE_LINES, through - at);
    const page = await call("GET /ledger", {
      query: { after: at, before: through + 1, limit: lines, thoughts },
      signal,
    });
    for (const item of page.items) {
      const event = eventOf(item);
      if (event && wants(event)) events.push(event);
    }
    at = page.next ? Number(page.next) : through;
  }
  return { events, through };
}

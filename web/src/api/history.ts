// The ledger's past, read in pieces. `/events` is a stream that goes on for ever, so it is read without a filter: sequences are
// dense, and the end of what was wanted is seen, not guessed. What is not wanted is left out here.
import { type AnyEvent, decodeEvent } from "@/live/event";
import { readStream } from "@/live/sse";
import { call, queryString } from "./client";
import { ApiError, decodeError } from "./errors";

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

/** Events of the past, the oldest first, and the sequence up to which was read. */
export async function readEvents(query: HistoryQuery): Promise<{ events: AnyEvent[]; through: number }> {
  const { after, limit = 500, signal, wants = () => true } = query;
  const end = query.through ?? (await call("GET /snapshot", { signal })).seq;
  const through = Math.min(end, after + limit);
  if (after >= through) return { events: [], through };
  const done = new AbortController();
  const both = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  const events: AnyEvent[] = [];
  try {
    const path = `/events${queryString({ after, thoughts: query.thoughts })}`;
    const response = await fetch(path, {
      headers: { Accept: "text/event-stream" },
      cache: "no-store",
      signal: both,
    });
    if (!response.ok) throw decodeError(response.status, await response.text());
    await readStream(response, (messages) => {
      for (const { id, data } of messages) {
        if (id === null || id > through) continue;
        const event = decodeEvent(data);
        if (event && wants(event)) events.push(event);
        if (id === through) done.abort();
      }
    });
    throw new ApiError(0, { code: "offline", message: "the stream broke off" });
  } catch (error) {
    // Done is how a good read ends.
    if (done.signal.aborted && !signal?.aborted) return { events, through };
    throw error;
  } finally {
    done.abort();
  }
}

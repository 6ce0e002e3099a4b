import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { readEvents } from "@/api/history";

/** Lines of the ledger that are looked through for one piece of an epoch. */
const PIECE_LINES = 1_024;

/** One line of the ledger, with its thought; null for one that this client does not know. */
export const lineQuery = (seq: number) =>
  queryOptions({
    queryKey: ["line", "whole", seq],
    queryFn: async ({ signal }) =>
      (await readEvents({ after: seq - 1, through: seq, limit: 1, thoughts: true, signal })).events[0] ??
      null,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The lines of an epoch, piece by piece: those of other lives stand between them. */
export const epochLinesQuery = (epoch: string, first: number, last: number) =>
  infiniteQueryOptions({
    queryKey: ["epoch-lines", epoch, first],
    queryFn: ({ pageParam, signal }) =>
      readEvents({
        after: pageParam,
        through: last,
        limit: PIECE_LINES,
        thoughts: true,
        wants: (event) => event.epoch === epoch,
        signal,
      }),
    initialPageParam: first - 1,
    getNextPageParam: (page) => (page.through < last ? page.through : undefined),
    enabled: first > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

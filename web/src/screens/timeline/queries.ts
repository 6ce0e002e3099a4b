import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { readLedger } from "./source";

/** Lines of one piece of an epoch or of a gap. */
export const PIECE_LINES = 256;

/** One line of the ledger, with its thought; null for one that this client does not know. */
export const lineQuery = (seq: number) =>
  queryOptions({
    queryKey: ["line", "whole", seq],
    queryFn: async ({ signal }) =>
      (await readLedger({ after: seq - 1, through: seq, limit: 1, signal })).events[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The lines of an epoch, piece by piece: those of other lives stand between them. */
export const epochLinesQuery = (epoch: string, first: number, last: number) =>
  infiniteQueryOptions({
    queryKey: ["epoch-lines", epoch, first],
    queryFn: ({ pageParam, signal }) =>
      readLedger({ after: pageParam, through: last, limit: PIECE_LINES, epoch, signal }),
    initialPageParam: first - 1,
    getNextPageParam: (page) => (page.through < last ? page.through : undefined),
    enabled: first > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The lines from one to another, piece by piece. A gap at the head grows with each event: what was read of it stays. */
export const gapLinesQuery = (first: number, last: number) =>
  infiniteQueryOptions({
    queryKey: ["gap-lines", first],
    queryFn: ({ pageParam, signal }) =>
      readLedger({ after: pageParam, through: last, limit: PIECE_LINES, signal }),
    initialPageParam: first - 1,
    getNextPageParam: (page) => (page.through < last ? page.through : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });

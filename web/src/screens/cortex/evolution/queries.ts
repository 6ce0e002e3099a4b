// What is read of changes. The first word of a key is its topic, see `live/topics.ts`: each move of a change makes both stale.
import { queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";

/** Changes that are listed: more than an agent's are remembered. */
const LISTED = 200;

export const changesQuery = (citizen: string) =>
  queryOptions({
    queryKey: ["evolution", citizen],
    queryFn: ({ signal }) => call("GET /evolutions", { query: { citizen, limit: LISTED }, signal }),
  });

export const changeQuery = (citizen: string, id: string) =>
  queryOptions({
    queryKey: ["evolution", citizen, id],
    queryFn: ({ signal }) => call("GET /evolutions/{id}", { path: { id }, signal }),
  });

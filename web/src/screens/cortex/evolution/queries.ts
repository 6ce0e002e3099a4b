// What is read of changes. The first word of a key is its topic, see `live/topics.ts`: each move of a change makes both stale.
import { queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";

/** Changes that are listed: more than an agent's are remembered. */
const LISTED = 200;
/** How often a search that runs is looked at. */
const LOOK_MS = 1_500;

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

export const reportQuery = (citizen: string, id: string) =>
  queryOptions({
    queryKey: ["evolution", citizen, id, "report"],
    queryFn: ({ signal }) => call("GET /evolutions/{id}/report", { path: { id }, signal }),
  });

/** The last search of an agent; null where none is known. How far one is stands in no event, so it is asked for. */
export const searchQuery = (citizen: string) =>
  queryOptions({
    queryKey: ["evolution", citizen, "search"],
    queryFn: async ({ signal }) => {
      const { items } = await call("GET /evolutions/search", { query: { citizen }, signal });
      return items[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data && state.data.state !== "ended" ? LOOK_MS : false),
  });

/** The last search of every agent: one that waits, waits for one of these. */
export const searchesQuery = queryOptions({
  queryKey: ["evolution", "", "searches"],
  queryFn: ({ signal }) => call("GET /evolutions/search", { signal }),
  refetchInterval: ({ state }) =>
    state.data?.items.some((one) => one.state !== "ended") ? 3 * LOOK_MS : false,
  retry: false,
});

import { queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";
import { agentsQuery } from "@/api/queries";

/** Between two looks. Heartbeats and counters of processes are in no event, so nothing says when they moved. */
export const LOOK_MS = 5_000;

export const watchedAgentsQuery = queryOptions({
  ...agentsQuery,
  refetchInterval: LOOK_MS,
});

export const wakesQuery = (id: string) =>
  queryOptions({
    queryKey: ["wakes", id],
    queryFn: ({ signal }) => call("GET /agents/{id}/wakes", { path: { id }, query: { limit: 100 }, signal }),
  });

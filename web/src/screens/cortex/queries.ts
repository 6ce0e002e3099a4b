// What the Cortex reads. The first word of a key is its topic, see `live/topics.ts`.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";
import { readKinds } from "@/api/history";

/** Items of a page. */
const PAGE = 100;
/** Lines of sleeps that are read back at once when somebody asks for older ones. */
const PIECE = 300;

/** The version in force, or an earlier one, which never changes. */
export const identityQuery = (citizen: string, version?: number) =>
  queryOptions({
    queryKey: version === undefined ? ["identity", citizen] : ["identity-version", citizen, version],
    queryFn: ({ signal }) => call("GET /identity", { query: { citizen, version }, signal }),
    ...(version === undefined ? {} : { staleTime: Number.POSITIVE_INFINITY }),
  });

export const versionsQuery = (citizen: string) =>
  infiniteQueryOptions({
    queryKey: ["identity", citizen, "versions"],
    queryFn: ({ pageParam, signal }) =>
      call("GET /identity/versions", { query: { citizen, limit: PAGE, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });

export const diffQuery = (citizen: string, from: number, to: number) =>
  queryOptions({
    queryKey: ["identity-version", citizen, from, to],
    queryFn: ({ signal }) => call("GET /identity/diff", { query: { citizen, from, to }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const proposalsQuery = (citizen: string) =>
  queryOptions({
    queryKey: ["identity", citizen, "proposals"],
    queryFn: ({ signal }) => call("GET /identity/proposals", { query: { citizen }, signal }),
  });

/** Facts in force; those that hold no longer too with `past`, which a search does not go with. */
export const factsQuery = (citizen: string, q: string, past: boolean) =>
  infiniteQueryOptions({
    queryKey: ["knowledge", citizen, q, past],
    queryFn: ({ pageParam, signal }) =>
      call("GET /knowledge", {
        query: { citizen, q, history: past && !q, limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });

export const nodesQuery = (citizen: string, type: string | undefined, closed: boolean) =>
  infiniteQueryOptions({
    queryKey: ["graph", citizen, "nodes", type, closed],
    queryFn: ({ pageParam, signal }) =>
      call("GET /memory/graph/nodes", {
        query: { citizen, type, closed, limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });

export const nodeQuery = (citizen: string, id: string) =>
  queryOptions({
    queryKey: ["graph", citizen, "node", id],
    queryFn: ({ signal }) =>
      call("GET /memory/graph/nodes/{id}", { path: { id }, query: { citizen }, signal }),
  });

/** Edges of a node, closed ones too. */
export const edgesQuery = (citizen: string, node: string, closed: boolean) =>
  queryOptions({
    queryKey: ["graph", citizen, "edges", node, closed],
    queryFn: ({ signal }) =>
      call("GET /memory/graph/edges", { query: { citizen, node, closed, limit: PAGE }, signal }),
  });

export const dreamsQuery = (citizen: string) =>
  infiniteQueryOptions({
    queryKey: ["dreams", citizen],
    queryFn: ({ pageParam, signal }) =>
      call("GET /dreams", { query: { citizen, limit: PAGE, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });

export const dreamQuery = (citizen: string, filename: string) =>
  queryOptions({
    queryKey: ["dreams", citizen, filename],
    queryFn: ({ signal }) =>
      call("GET /dreams/{filename}", { path: { filename }, query: { citizen }, signal }),
  });

export const sleepQuery = (citizen: string) =>
  queryOptions({
    queryKey: ["sleep", citizen],
    queryFn: ({ signal }) => call("GET /management/sleep", { query: { citizen }, signal }),
  });

/** The newest lines of an agent's sleeps, and piece by piece further back. */
export const sleepEventsQuery = (citizen: string, through: number) =>
  infiniteQueryOptions({
    queryKey: ["sleep-history", citizen, through],
    queryFn: async ({ pageParam, signal }) => {
      const read = await readKinds({ kinds: ["sleep.*"], citizen, before: pageParam, limit: PIECE, signal });
      return { events: read.events, after: Math.max(0, read.before - 1) };
    },
    initialPageParam: through + 1,
    getNextPageParam: (page) => (page.after > 0 ? page.after + 1 : null),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: through > 0,
  });

// What screens read, as query options. The first word of a key is its topic: `live/topics.ts` says which events make a topic stale.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, fetchSession } from "./client";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => fetchSession(signal),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

export const healthQuery = queryOptions({
  queryKey: ["health"],
  // 503 is an answer here: it says why.
  queryFn: ({ signal }) => call("GET /health", { signal }),
  refetchInterval: 30_000,
  retry: false,
});

/** It changes with a start of the keeper alone. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: ({ signal }) => call("GET /config", { signal }),
});

export const attentionQuery = queryOptions({
  queryKey: ["attention"],
  queryFn: ({ signal }) => call("GET /attention", { query: { limit: 200 }, signal }),
});

/** Servers whose tools agents use. They start and change without an event of the ledger. */
export const serversQuery = queryOptions({
  queryKey: ["servers"],
  queryFn: ({ signal }) => call("GET /mcp/servers", { signal }),
  refetchInterval: 30_000,
});

/** The tools of an agent, the first five hundred, with what it may do with each. */
export const toolsQuery = (agent: string) =>
  queryOptions({
    queryKey: ["tools", agent],
    queryFn: ({ signal }) => call("GET /tools", { query: { citizen: agent, limit: 500 }, signal }),
  });

export const approvalsQuery = queryOptions({
  queryKey: ["approvals"],
  queryFn: ({ signal }) => call("GET /approvals", { query: { limit: 200 }, signal }),
});

/** What servers ask of people in the middle of calls. */
export const questionsQuery = queryOptions({
  queryKey: ["questions"],
  queryFn: ({ signal }) => call("GET /mcp/questions", { query: { limit: 200 }, signal }),
});

export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: ({ signal }) => call("GET /agents", { query: { limit: 500 }, signal }),
});

export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: ["agents", id],
    queryFn: ({ signal }) => call("GET /agents/{id}", { path: { id }, signal }),
  });

/** Epochs of one agent or all, the newest first, page by page. */
export const epochsQuery = (citizen: string | null) =>
  infiniteQueryOptions({
    queryKey: ["epochs", citizen],
    queryFn: ({ pageParam, signal }) =>
      call("GET /epochs", { query: { citizen, limit: 50, cursor: pageParam, thoughts: true }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    // What happens after the first look comes over the stream.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One epoch with thoughts. */
export const epochQuery = (id: string) =>
  queryOptions({
    queryKey: ["epoch", id],
    queryFn: ({ signal }) => call("GET /epochs/{id}", { path: { id }, query: { thoughts: true }, signal }),
  });

/** One epoch with what its mind was shown; the keeper folds its ledger for it, so it is asked for only when looked at. */
export const contextQuery = (id: string) =>
  queryOptions({
    queryKey: ["context", id],
    queryFn: ({ signal }) =>
      call("GET /epochs/{id}", { path: { id }, query: { thoughts: true, context: true }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Between two looks at what plays: events say what changes but not where in a track it is, nor what other programs play. */
const PLAYING_LOOK_MS = 5_000;
const RESTING_LOOK_MS = 30_000;

/** What is played and what is to be played. */
export const mediaQuery = queryOptions({
  queryKey: ["media"],
  queryFn: ({ signal }) => call("GET /media-status", { signal }),
  refetchInterval: ({ state }) => (state.data?.state === "playing" ? PLAYING_LOOK_MS : RESTING_LOOK_MS),
});

/** How often a scan that runs is looked at. */
const SCAN_LOOK_MS = 1_000;

/** The scan of the music folders; `off` where none are configured. */
export const scanQuery = queryOptions({
  queryKey: ["scan"],
  queryFn: async ({ signal }) => (await call("GET /music/library", { query: { limit: 1 }, signal })).scan,
  refetchInterval: ({ state }) => (state.data?.state === "scanning" ? SCAN_LOOK_MS : RESTING_LOOK_MS),
});

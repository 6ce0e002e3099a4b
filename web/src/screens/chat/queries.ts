import { queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";
import { isRecord } from "@/api/errors";
import { readEvents } from "@/api/history";

/** A passage that a search of an agent's memory found. */
export interface Said {
  content: string;
  speaker: string;
  epoch: string | null;
}

/** Searches everything that was ever said to an agent, not only what is on the screen. */
export const saidQuery = (agent: string, query: string) =>
  queryOptions({
    queryKey: ["knowledge", "said", agent, query],
    queryFn: async ({ signal }) => {
      const found = await call("POST /memory/search", { body: { citizen: agent, query, limit: 20 }, signal });
      const { status, items, message } = found.conversations as {
        status?: unknown;
        items?: unknown;
        message?: unknown;
      };
      return {
        status: String(status ?? "failed"),
        message: String(message ?? ""),
        items: Array.isArray(items) ? items.map(saidOf).filter((one) => one !== null) : [],
      };
    },
    enabled: query.trim().length > 1,
  });

function saidOf(item: unknown): Said | null {
  if (!isRecord(item)) return null;
  const text = [item.content, item.text].find((one) => typeof one === "string");
  if (typeof text !== "string") return null;
  const epoch = [item.epoch_id, item.epoch, item.source].find((one) => typeof one === "string");
  const speaker = [item.speaker, item.sender].find((one) => typeof one === "string");
  return { content: text, speaker: String(speaker ?? ""), epoch: (epoch as string | undefined) ?? null };
}

/** One line of the ledger. */
export const lineQuery = (seq: number) =>
  queryOptions({
    queryKey: ["line", seq],
    queryFn: async ({ signal }) => (await readEvents({ after: seq - 1, limit: 1, signal })).events[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

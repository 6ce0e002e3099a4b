import { queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";
import { ApiError, isRecord } from "@/api/errors";
import type { HealthView } from "@/api/generated";

/** How the keeper is, with its reason. It answers 503 where it is not well, which is an answer here and not an error. */
export const conditionQuery = queryOptions({
  queryKey: ["health", "condition"],
  queryFn: async ({ signal }): Promise<HealthView> => {
    const init: RequestInit = { headers: { Accept: "application/json" }, cache: "no-store" };
    const response = await fetch("/health", signal ? { ...init, signal } : init).catch((cause: unknown) => {
      throw ApiError.offline(cause);
    });
    const body: unknown = await response.json().catch(() => null);
    if (!isRecord(body) || typeof body.status !== "string") throw new ApiError(response.status, {});
    return body as unknown as HealthView;
  },
  refetchInterval: 15_000,
  retry: false,
});

export const snapshotQuery = queryOptions({
  queryKey: ["health", "snapshot"],
  queryFn: ({ signal }) => call("GET /snapshot", { signal }),
});

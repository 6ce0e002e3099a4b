import { queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";

export const grantsQuery = queryOptions({
  queryKey: ["stdout", "grants"],
  queryFn: ({ signal }) => call("GET /stdout/grants", { query: { limit: 500 }, signal }),
});

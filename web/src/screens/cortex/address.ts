import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { CortexSearch } from "./search";

/** What the address says, and how to change a part of it. A change that leads somewhere else (`push`) can be gone back from. */
export function useAddress(): [
  CortexSearch,
  (change: Partial<CortexSearch>, how?: { push?: boolean }) => void,
] {
  const search = useSearch({ from: "/cortex/$agent" });
  const navigate = useNavigate({ from: "/cortex/$agent" });
  const set = useCallback(
    (change: Partial<CortexSearch>, how?: { push?: boolean }) =>
      void navigate({ search: (old) => ({ ...old, ...change }), replace: !how?.push }),
    [navigate],
  );
  return [search, set];
}

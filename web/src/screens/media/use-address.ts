import { useNavigate, useSearch } from "@tanstack/react-router";
import type { MediaSearch } from "./search";

/** What stands in the address, and how a part of it is set. */
export function useAddress(): [MediaSearch, (next: MediaSearch, how?: { push: boolean }) => void] {
  const search = useSearch({ from: "/media" });
  const navigate = useNavigate();
  return [
    search,
    (next, how) =>
      void navigate({ to: "/media", search: { ...search, ...next }, replace: how?.push !== true }),
  ];
}

import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import type { TimelineSearch } from "./search";

/** The address follows the keyboard after so long: browsers allow few changes of it. */
const SETTLE_MS = 200;

/** Changes what stands in the address: at once, or when the keyboard rests. */
export function useAddress() {
  const navigate = useNavigate({ from: "/timeline" });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const set = useCallback(
    (change: Partial<TimelineSearch>) => {
      clearTimeout(timer.current);
      void navigate({ search: (old) => ({ ...old, ...change, rows: "lines" }), replace: true });
    },
    [navigate],
  );
  const setSoon = useCallback(
    (change: Partial<TimelineSearch>, onSet: () => void) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        onSet();
        set(change);
      }, SETTLE_MS);
    },
    [set],
  );
  return { set, setSoon };
}

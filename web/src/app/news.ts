// What a person should hear of wherever they are: a call that waits for them, and the number of open matters in the page's title.
import { useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useApprovals } from "@/live/hooks";
import { useLive } from "@/live/store";
import { SCREENS } from "./screens";
import { toast } from "./toasts";

/** Says that a call waits, once, unless its place is on the screen already. */
export function useApprovalNews(): void {
  const approvals = useApprovals();
  const base = useLive((state) => state.base);
  const router = useRouter();
  const known = useRef<{ base: number; ids: Set<string> } | null>(null);
  useEffect(() => {
    if (base < 0) return;
    // What waited before the page was opened is no news.
    if (known.current?.base !== base) known.current = { base, ids: new Set(approvals.map((one) => one.id)) };
    for (const approval of approvals) {
      if (known.current.ids.has(approval.id)) continue;
      known.current.ids.add(approval.id);
      const { pathname } = router.state.location;
      if (pathname === "/" || pathname === `/chat/${approval.agent}`) continue;
      toast({
        title: `${approval.agent} waits for you`,
        note: `It wants to run ${approval.tool}.`,
        ms: 15_000,
        undo: { label: "Show", run: () => void router.navigate({ to: "/" }) },
      });
    }
  }, [approvals, base, router]);
}

/** Keeps the title of the page. */
export function useTitle(matters: number): void {
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    const screen = SCREENS.find((one) => (one.to === "/" ? path === "/" : path.startsWith(one.to)));
    const count = matters > 0 ? `(${matters}) ` : "";
    document.title = `${count}${screen ? `${screen.label} · ` : ""}Abide`;
  }, [path, matters]);
}

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { act } from "@/api/client";
import type { ActionView, AttentionView } from "@/api/generated";
import { attentionQuery } from "@/api/queries";
import { toastError } from "@/app/toasts";
import { useConnection } from "@/live/store";
import { Button, Kbd } from "@/ui";

/** Does what was chosen of what can be done; the matter goes when the keeper says so, not before. */
export function useAct(): { running: string | null; run: (action: ActionView) => Promise<void> } {
  const client = useQueryClient();
  const [running, setRunning] = useState<string | null>(null);
  const run = async (action: ActionView) => {
    setRunning(action.label);
    try {
      await act(action);
    } catch (error) {
      toastError(`${action.label}: that did not work`, error);
    } finally {
      await client.invalidateQueries({ queryKey: attentionQuery.queryKey });
      setRunning(null);
    }
  };
  return { running, run };
}

const KEYS: Record<string, string> = { Approve: "a", Deny: "d" };

/** What can be done about a matter. `isCalm` offers nothing as the obvious thing. */
export function MatterActions({ matter, isCalm }: { matter: AttentionView; isCalm: boolean }) {
  const isOff = useConnection().phase === "offline";
  const { running, run } = useAct();
  return matter.actions.map((action, at) =>
    action.method === "GET" ? (
      <ShowAction key={action.label} matter={matter} action={action} />
    ) : (
      <Button
        key={action.label}
        size="s"
        tone={at === 0 && !isCalm && !matter.acknowledged ? "primary" : "plain"}
        busy={running === action.label}
        disabled={running !== null || isOff}
        data-act={action.label}
        data-calm={isCalm}
        aria-label={`${action.label}: ${matter.summary.slice(0, 80)}`}
        onClick={() => void run(action)}
      >
        {action.label}
        {KEYS[action.label] && (
          <span aria-hidden className="max-sm:hidden">
            <Kbd keys={KEYS[action.label] ?? ""} />
          </span>
        )}
      </Button>
    ),
  );
}

/** "Show" leads to the screen that shows it. */
function ShowAction({ matter, action }: { matter: AttentionView; action: ActionView }) {
  const navigate = useNavigate();
  const go = () => {
    const epoch = /^\/epochs\/([^/?]+)$/.exec(action.path)?.[1];
    const agent = matter.citizen;
    if (epoch && agent) return navigate({ to: "/chat/$agent", params: { agent }, search: { epoch } });
    if (action.path.startsWith("/identity") && agent) {
      return navigate({ to: "/cortex/$agent", params: { agent }, search: { tab: "identity" } });
    }
    if (action.path.startsWith("/knowledge") && agent) {
      return navigate({ to: "/cortex/$agent", params: { agent }, search: { tab: "knowledge" } });
    }
    const change = /^\/evolutions\/([^/?]+)$/.exec(action.path)?.[1];
    if (change && agent) {
      return navigate({ to: "/cortex/$agent", params: { agent }, search: { tab: "evolution", change } });
    }
    if (action.path.startsWith("/deck/")) {
      const deck = new URL(action.path, location.origin).searchParams.get("deck_id");
      const proposal = matter.id.replace(/^deck:[^:]*:/, "");
      return deck
        ? navigate({ to: "/decks/$deck", params: { deck }, search: { tab: "review", proposal } })
        : navigate({ to: "/decks" });
    }
    if (action.path.startsWith("/watchdog")) return navigate({ to: "/watchdog" });
    return navigate({ to: "/settings" });
  };
  return (
    <Button size="s" onClick={() => void go()} aria-label={`${action.label}: ${matter.summary.slice(0, 80)}`}>
      {action.label}
    </Button>
  );
}

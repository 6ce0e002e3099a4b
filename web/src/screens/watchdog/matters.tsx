import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { act } from "@/api/client";
import type { ActionView, AttentionView } from "@/api/generated";
import { attentionQuery } from "@/api/queries";
import { toastError } from "@/app/toasts";
import { useConnection } from "@/live/store";
import { Button, Card, CardHead, Time } from "@/ui";

/** Stalls that wait for a person, with what the keeper says can be done. */
export function StallMatters() {
  const attention = useQuery(attentionQuery);
  const matters = attention.data?.items.filter((one) => one.kind === "stall") ?? [];
  if (matters.length === 0) return null;
  return (
    <Card aria-labelledby="matters-title">
      <CardHead id="matters-title" title="For you to decide" />
      <ul className="divide-y divide-line border-t border-line">
        {matters.map((matter) => (
          <Matter key={matter.id} matter={matter} />
        ))}
      </ul>
    </Card>
  );
}

function Matter({ matter }: { matter: AttentionView }) {
  const client = useQueryClient();
  const isOff = useConnection().phase === "offline";
  const [busy, setBusy] = useState("");
  const run = async (action: ActionView) => {
    setBusy(action.label);
    try {
      await act(action);
    } catch (error) {
      toastError(`${action.label}: that did not work`, error);
    } finally {
      await client.invalidateQueries({ queryKey: attentionQuery.queryKey });
      setBusy("");
    }
  };
  return (
    <li className="px-4 py-3 text-[13px]">
      <p dir="auto" className="break-words text-ink">
        {matter.summary}
      </p>
      <p className="text-muted">
        <Time at={matter.since} />
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {matter.actions
          .filter((action) => action.method !== "GET")
          .map((action) => (
            <Button
              key={action.label}
              size="s"
              busy={busy === action.label}
              disabled={busy !== "" || isOff}
              aria-label={`${action.label}: ${matter.summary.slice(0, 80)}`}
              onClick={() => void run(action)}
            >
              {action.label}
            </Button>
          ))}
      </div>
    </li>
  );
}

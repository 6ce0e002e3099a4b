import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { act } from "@/api/client";
import type { ActionView, AttentionView } from "@/api/generated";
import { attentionQuery } from "@/api/queries";
import { toastError } from "@/app/toasts";
import { useConnection } from "@/live/store";
import { Acknowledged } from "@/screens/home/acknowledged";
import { Button, Card, CardHead, Time, visible } from "@/ui";
import type { EpisodeView } from "./fold";

/** Stalls of which nothing else on the screen tells, with what the keeper says can be done. */
export function StallMatters({ without }: { without: readonly EpisodeView[] }) {
  const attention = useQuery(attentionQuery);
  const shown = new Set(without.filter((one) => !one.end).map((one) => matterOf(one.id)));
  const matters = attention.data?.items.filter((one) => one.kind === "stall" && !shown.has(one.id)) ?? [];
  if (matters.length === 0) return null;
  return (
    <Card aria-labelledby="matters-title">
      <CardHead id="matters-title" title="Needs your decision" />
      <ul className="divide-y divide-line border-t border-line">
        {matters.map((matter) => (
          <Matter key={matter.id} matter={matter} />
        ))}
      </ul>
    </Card>
  );
}

/** How the keeper names the matter of an episode. */
const matterOf = (episode: string) => `stall:${episode}`;

/** What can be done about an open episode. */
export function EpisodeActs({ episode }: { episode: string }) {
  const attention = useQuery(attentionQuery);
  const matter = attention.data?.items.find((one) => one.id === matterOf(episode));
  return matter ? <Acts matter={matter} /> : null;
}

function Matter({ matter }: { matter: AttentionView }) {
  return (
    <li className="px-4 py-3 text-[13px]">
      <p dir="auto" className="break-words text-ink">
        {visible(matter.summary)}
      </p>
      <p className="text-muted">
        <Time at={matter.since} /> {matter.acknowledged && <Acknowledged by={matter.acknowledged} />}
      </p>
      <Acts matter={matter} />
    </li>
  );
}

function Acts({ matter }: { matter: AttentionView }) {
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
    <div className="mt-2 flex flex-wrap gap-2">
      {matter.actions
        .filter((action) => action.method !== "GET")
        .map((action, at) => (
          <Button
            key={action.label}
            tone={at === 0 && !matter.acknowledged ? "primary" : "plain"}
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
  );
}

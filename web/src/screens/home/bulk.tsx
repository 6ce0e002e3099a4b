import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { act } from "@/api/client";
import type { AttentionView } from "@/api/generated";
import { attentionQuery } from "@/api/queries";
import { SNOOZES } from "@/app/aside";
import { toast, toastError } from "@/app/toasts";
import { useConnection } from "@/live/store";
import { Button, Menu } from "@/ui";
import { sharedActions } from "./groups";
import { endsByItself } from "./urgency";

/** What is done to several matters at once. */
export function BulkBar(props: {
  chosen: readonly AttentionView[];
  onDone: () => void;
  onAside: (until?: number) => void;
}) {
  const { chosen, onDone, onAside } = props;
  const client = useQueryClient();
  const isOff = useConnection().phase === "offline";
  const [running, setRunning] = useState<string | null>(null);
  const run = async (label: string) => {
    setRunning(label);
    let failed: unknown = null;
    let done = 0;
    // One after another: the keeper is not asked for many things at once, and each failure is told.
    for (const matter of chosen) {
      const action = matter.actions.find((one) => one.label === label);
      if (!action) continue;
      await act(action).then(
        () => {
          done += 1;
        },
        (error) => {
          failed = error;
        },
      );
    }
    await client.invalidateQueries({ queryKey: attentionQuery.queryKey });
    setRunning(null);
    if (failed) toastError(`${label}: ${done} of ${chosen.length} worked`, failed);
    else toast({ title: `${label}: ${done} done` });
    onDone();
  };
  return (
    <div
      role="toolbar"
      aria-label="With what was chosen"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2 text-[13px]"
    >
      <span role="status" className="mr-1 text-ink">
        {chosen.length} chosen
      </span>
      {sharedActions(chosen).map((label) => (
        <Button
          key={label}
          size="s"
          busy={running === label}
          disabled={running !== null || isOff}
          onClick={() => void run(label)}
        >
          {label}
        </Button>
      ))}
      {chosen.every((one) => !endsByItself(one.kind)) && (
        <Menu
          label="Snooze what was chosen"
          trigger={<Button size="s">Snooze</Button>}
          items={SNOOZES.map((one) => ({
            label: one.label,
            onSelect: () => onAside(one.until(new Date())),
          }))}
        />
      )}
      <Button size="s" onClick={() => onAside()}>
        Put aside
      </Button>
      <Button size="s" tone="ghost" onClick={onDone}>
        Choose none
      </Button>
    </div>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import type { EvolutionView } from "@/api/generated";
import { toast, toastError } from "@/app/toasts";
import { later } from "@/app/undo";
import { useConnection } from "@/live/store";
import { Button, Input } from "@/ui";
import { type Answer, answersTo } from "./model";

const LABELS: Record<Answer, string> = {
  approve: "Approve",
  reject: "Reject",
  rollback: "Roll back",
  abort: "Abort",
};

/** What is said at its end. */
const DONE: Record<Answer, string> = {
  approve: "The change is put in force, stage by stage",
  reject: "The change is rejected",
  rollback: "The code from before is in force again",
  abort: "The change is aborted",
};

/** What a person does about a change, with a reason. */
export function AnswerBar({ agent, change }: { agent: string; change: EvolutionView }) {
  const client = useQueryClient();
  const isOff = useConnection().phase === "offline";
  const [reason, setReason] = useState("");
  const [doing, setDoing] = useState<Answer | null>(null);
  const answers = answersTo(change);
  if (answers.length === 0) return null;
  const send = async (action: Answer) => {
    await call("POST /evolutions/{id}/{action}", {
      path: { id: change.id, action },
      body: { reason: reason.trim() || null },
    });
    setReason("");
    await client.invalidateQueries({ queryKey: ["evolution", agent] });
    await client.invalidateQueries({ queryKey: ["attention"] });
    toast({ title: DONE[action] });
  };
  const give = async (action: Answer) => {
    setDoing(action);
    try {
      // A change that was refused does not come back by itself: that can be called off for a moment.
      if (action === "reject" || action === "abort") {
        await later({
          doing: action === "reject" ? "Rejecting the change" : "Aborting the change",
          run: () => send(action),
        });
      } else {
        await send(action);
      }
    } catch (error) {
      toastError(`${LABELS[action]}: that did not work`, error);
    } finally {
      setDoing(null);
    }
  };
  return (
    <div className="flex flex-wrap items-end gap-2 border-t border-line px-4 py-3">
      <Input
        label="Reason, kept in the ledger"
        className="min-w-40 flex-1"
        value={reason}
        maxLength={400}
        onChange={(event) => setReason(event.target.value)}
      />
      {answers.map((action) => (
        <Button
          key={action}
          tone={action === "approve" ? "primary" : "danger"}
          busy={doing === action}
          disabled={doing !== null || isOff}
          onClick={() => void give(action)}
        >
          {LABELS[action]}
        </Button>
      ))}
    </div>
  );
}

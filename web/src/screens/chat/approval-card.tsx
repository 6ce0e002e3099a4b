import { Hand } from "lucide-react";
import { useId, useState } from "react";
import { call } from "@/api/client";
import { toastError } from "@/app/toasts";
import type { LiveApproval } from "@/live/state";
import { Button, Code, givenText, Input, Time, visibleLine } from "@/ui";

/** A call that waits for a person. */
export function ApprovalCard({ approval }: { approval: LiveApproval }) {
  const id = useId();
  const [reason, setReason] = useState("");
  const [running, setRunning] = useState<"approve" | "deny" | null>(null);
  const decide = async (decision: "approve" | "deny") => {
    setRunning(decision);
    await call("POST /approvals/{id}", {
      path: { id: approval.id },
      body: { decision, reason: reason.trim() || null },
    }).catch((error) => toastError("The decision could not be saved", error));
    setRunning(null);
  };
  return (
    <div
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-about`}
      className="rounded-xl border border-wait/60 bg-wait-soft px-4 py-3"
    >
      <p id={`${id}-title`} className="flex items-center gap-2 font-medium text-ink">
        <Hand aria-hidden className="size-4 text-wait" />
        {approval.agent} wants to run{" "}
        <code className="font-mono text-[13px]">{visibleLine(approval.tool)}</code>
      </p>
      <p id={`${id}-about`} className="mb-2 text-[13px] text-ink">
        Expires <Time at={approval.deadline} />.
      </p>
      <Code label={`Arguments of ${approval.tool}`} text={givenText(approval.arguments)} />
      <div className="mt-3 flex flex-wrap items-end gap-2">
        <Input
          className="min-w-40 flex-1 max-sm:basis-full"
          label="Reason, told to the agent"
          value={reason}
          maxLength={1_000}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button
          tone="primary"
          busy={running === "approve"}
          disabled={running !== null}
          onClick={() => void decide("approve")}
        >
          Approve
        </Button>
        <Button
          tone="danger"
          busy={running === "deny"}
          disabled={running !== null}
          onClick={() => void decide("deny")}
        >
          Deny
        </Button>
      </div>
    </div>
  );
}

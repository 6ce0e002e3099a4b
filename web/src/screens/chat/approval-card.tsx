import { Hand } from "lucide-react";
import { useId, useRef, useState } from "react";
import { call } from "@/api/client";
import { useCommands } from "@/app/commands";
import { toastError } from "@/app/toasts";
import type { LiveApproval } from "@/live/state";
import { Button, Input, Kbd, visibleLine } from "@/ui";
import { ApprovalDetails, useEffectOf } from "./approval-details";
import { isGrave } from "./approval-words";

/** A call that waits for a person. */
export function ApprovalCard({ approval }: { approval: LiveApproval }) {
  const id = useId();
  const [reason, setReason] = useState("");
  const [running, setRunning] = useState<"approve" | "deny" | null>(null);
  const yes = useRef<HTMLButtonElement>(null);
  const effect = useEffectOf(approval.id);
  const decide = async (decision: "approve" | "deny") => {
    setRunning(decision);
    await call("POST /approvals/{id}", {
      path: { id: approval.id },
      body: { decision, reason: reason.trim() || null },
    }).catch((error) => toastError("The decision could not be saved", error));
    setRunning(null);
  };
  useCommands([
    {
      id: "chat:approve",
      label: `Approve ${visibleLine(approval.tool)}`,
      group: "Chat",
      keys: "a",
      // What changes the world takes a second press: the key leads to the button.
      run: () => (isGrave(effect) ? yes.current?.focus() : void decide("approve")),
    },
    {
      id: "chat:deny",
      label: `Deny ${visibleLine(approval.tool)}`,
      group: "Chat",
      keys: "d",
      run: () => void decide("deny"),
    },
  ]);
  return (
    <div
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-about`}
      className="rounded-xl border border-wait/60 bg-wait-soft px-4 py-3"
    >
      <p id={`${id}-title`} className="mb-1 flex items-center gap-2 font-medium text-ink">
        <Hand aria-hidden className="size-4 shrink-0 text-wait" />
        <span className="min-w-0 break-words">
          {approval.agent} wants to run{" "}
          <code className="font-mono text-[13px]">{visibleLine(approval.tool)}</code>
        </span>
      </p>
      <div id={`${id}-about`}>
        <ApprovalDetails approval={approval} effect={effect} />
      </div>
      <div className="mt-3 flex flex-wrap items-end gap-2">
        <Input
          className="min-w-40 flex-1 max-sm:basis-full"
          label="Reason, told to the agent"
          value={reason}
          maxLength={1_000}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button
          ref={yes}
          tone={isGrave(effect) ? "plain" : "primary"}
          busy={running === "approve"}
          disabled={running !== null}
          onClick={() => void decide("approve")}
        >
          Approve <Key keys="a" />
        </Button>
        <Button
          tone={isGrave(effect) ? "plain" : "danger"}
          busy={running === "deny"}
          disabled={running !== null}
          onClick={() => void decide("deny")}
        >
          Deny <Key keys="d" />
        </Button>
      </div>
    </div>
  );
}

function Key({ keys }: { keys: string }) {
  return (
    <span aria-hidden className="max-sm:hidden">
      <Kbd keys={keys} />
    </span>
  );
}

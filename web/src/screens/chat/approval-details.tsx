import { useQuery } from "@tanstack/react-query";
import type { ApprovalView } from "@/api/generated";
import { approvalsQuery } from "@/api/queries";
import { useEpoch } from "@/live/hooks";
import type { LiveApproval } from "@/live/state";
import { Code, givenText, Time, visible, visibleLine } from "@/ui";
import { askedOf, changeOf } from "./approval-words";
import { ChangePreview } from "./results/diff";

/** `read`, `state` or `world`; null until the keeper said so. */
export function useEffectOf(id: string | undefined): string | null {
  return useWaiting(id)?.effect ?? null;
}

function useWaiting(id: string | undefined): ApprovalView | undefined {
  return useQuery(approvalsQuery).data?.items.find((one) => one.id === id);
}

/** All that a decision rests on: what would change, with what it is called, who asked, why, until when. */
export function ApprovalDetails({ approval, effect }: { approval: LiveApproval; effect: string | null }) {
  const asked = askedOf(approval, useEpoch(approval.epochId));
  const waiting = useWaiting(approval.id);
  const about = waiting?.about;
  return (
    <div className="flex flex-col gap-2 text-[13px] text-ink">
      <p className={effect === "world" ? "font-medium" : undefined}>{changeOf(effect)}</p>
      {about && (
        // Written for minds, and long for some tools: at hand for people, and not in their way.
        <details className="text-muted">
          <summary className="cursor-pointer">What the tool does, as its agent is told</summary>
          <p dir="auto" className="mt-1 break-words">
            {visible(about)}
          </p>
        </details>
      )}
      {waiting?.preview && <ChangePreview label="What it would change" text={waiting.preview} />}
      <Code label={`Arguments of ${visibleLine(approval.tool)}`} text={givenText(approval.arguments)} />
      {asked && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5">
          <dt className="text-muted">Asked by</dt>
          <dd dir="auto" className="break-words">
            {visibleLine(asked.sender)} <Time at={asked.sentAt} className="text-muted" />: {asked.message}
          </dd>
          <dt className="text-muted">Why</dt>
          <dd dir="auto" className="break-words">
            {asked.why || "it gave no reason"}
          </dd>
        </dl>
      )}
      <p className="text-muted">
        Expires <Time at={approval.deadline} />; then it counts as denied.
      </p>
    </div>
  );
}

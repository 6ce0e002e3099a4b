import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlarmClockOff, Check } from "lucide-react";
import type { AttentionView } from "@/api/generated";
import { questionsQuery } from "@/api/queries";
import { SNOOZES } from "@/app/aside";
import { useApprovals } from "@/live/hooks";
import { ApprovalDetails, useEffectOf } from "@/screens/chat/approval-details";
import { isGrave } from "@/screens/chat/approval-words";
import { QuestionForm } from "@/screens/chat/question-form";
import { Badge, cx, IconButton, LoadError, Menu, Time, visible } from "@/ui";
import { Acknowledged } from "./acknowledged";
import { EvolutionChange } from "./evolution-change";
import { IdentityChange } from "./identity-change";
import { lookOf } from "./looks";
import { MatterActions } from "./matter-actions";
import { endsByItself } from "./urgency";

interface Props {
  matter: AttentionView;
  isCurrent: boolean;
  isChosen: boolean;
  onCurrent: () => void;
  onChosen: (isChosen: boolean) => void;
  onAside: (until?: number) => void;
}

/** A matter, with all that its decision rests on. */
export function Matter({ matter, isCurrent, isChosen, onCurrent, onChosen, onAside }: Props) {
  const look = lookOf(matter.kind);
  const approval = useApprovals().find((one) => `approval:${one.id}` === matter.id);
  const effect = useEffectOf(approval?.id);
  // Its record may arrive later than the matter; until then nothing is known of what it changes.
  const isApproval = matter.kind === "approval";
  const isQuestion = matter.kind === "question";
  return (
    <li
      id={rowId(matter.id)}
      tabIndex={-1}
      aria-current={isCurrent || undefined}
      onFocus={onCurrent}
      className={cx(
        "flex gap-3 px-4 py-3 outline-none focus-visible:-outline-offset-2",
        isCurrent && "bg-raised/60 shadow-[inset_3px_0_0_var(--accent)]",
      )}
    >
      <input
        type="checkbox"
        tabIndex={isCurrent ? 0 : -1}
        aria-label={`Choose: ${matter.summary.slice(0, 80)}`}
        className="mt-1 size-4 shrink-0 accent-accent"
        checked={isChosen}
        onChange={(event) => onChosen(event.target.checked)}
      />
      <look.icon aria-hidden className="mt-0.5 size-5 shrink-0 text-muted max-sm:hidden" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted">
          <Badge tone={look.tone}>{look.word}</Badge>
          {matter.citizen && (
            <Link to="/chat/$agent" params={{ agent: matter.citizen }} search={{}} className="text-ink">
              {matter.citizen}
            </Link>
          )}
          <Time at={matter.since} />
          {matter.acknowledged && <Acknowledged by={matter.acknowledged} />}
        </p>
        <p dir="auto" className="mt-1 line-clamp-4 text-sm break-words text-ink">
          <Ticks text={matter.summary} />
        </p>
        {approval && (
          <div className="mt-2">
            <ApprovalDetails approval={approval} effect={effect} />
          </div>
        )}
        {matter.kind === "identity" && matter.citizen && (
          <IdentityChange agent={matter.citizen} id={matter.id.replace(/^identity:/, "")} />
        )}
        {matter.kind === "evolution" && matter.citizen && (
          <EvolutionChange agent={matter.citizen} id={matter.id.replace(/^evolution:/, "")} />
        )}
        {isQuestion && <Question id={matter.id.replace(/^question:/, "")} />}
        <div className="mt-2 flex flex-wrap items-center gap-2">
          {/* A question's buttons stand below its form. */}
          {!isQuestion && <MatterActions matter={matter} isCalm={isApproval && isGrave(effect)} />}
          <span className="ml-auto flex">
            {!endsByItself(matter.kind) && (
              <Menu
                label="Snooze"
                trigger={
                  <IconButton
                    size="s"
                    label="Snooze"
                    icon={<AlarmClockOff aria-hidden className="size-4" />}
                  />
                }
                items={SNOOZES.map((one) => ({
                  label: one.label,
                  onSelect: () => onAside(one.until(new Date())),
                }))}
              />
            )}
            <IconButton
              size="s"
              label="Put aside (E)"
              icon={<Check aria-hidden className="size-4" />}
              onClick={() => onAside()}
            />
          </span>
        </div>
      </div>
    </li>
  );
}

/** What a server asks, to be answered here. */
function Question({ id }: { id: string }) {
  const found = useQuery(questionsQuery);
  const question = found.data?.items.find((one) => one.id === id);
  if (found.isError) {
    const retry = () => void found.refetch();
    return <LoadError what="The question could not be loaded." error={found.error} retry={retry} />;
  }
  return question ? (
    <div className="mt-2">
      <QuestionForm question={question} />
    </div>
  ) : null;
}

/** Where a matter stands on the page. */
export const rowId = (id: string) => `matter-${id.replace(/[^\w-]/g, "-")}`;

/** A line of the keeper's own, with what stands in backquotes as code. */
function Ticks({ text }: { text: string }) {
  return visible(text)
    .split("`")
    .map((part, at) =>
      at % 2 === 1 ? (
        <code key={`${at}${part}`} className="rounded bg-raised px-1 font-mono text-[13px]">
          {part}
        </code>
      ) : (
        part
      ),
    );
}

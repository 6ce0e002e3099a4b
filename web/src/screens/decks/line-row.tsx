import { Check, Pencil, RotateCcw, X } from "lucide-react";
import type { CardFactsView, ProposalLineView } from "@/api/generated";
import { Badge, type BadgeTone, cx, IconButton, visible, visibleLine } from "@/ui";
import { CardThumb } from "./card-text";
import { ManaCost } from "./mana-cost";
import { isUsable, isWaiting } from "./review-model";
import { canRewrite } from "./rewrite-model";
import { lineWords } from "./words";

const STATES: Record<string, [word: string, tone: BadgeTone]> = {
  open: ["open", "plain"],
  taken: ["taken", "life"],
  refused: ["rejected", "plain"],
  stale: ["stale", "wait"],
};

const SIGN_TONES = { come: "text-life", gone: "text-fail", other: "text-ink" };

export interface LineHandlers {
  onTick: (line: ProposalLineView) => void;
  onReject: (line: ProposalLineView) => void;
  onRewrite: (line: ProposalLineView) => void;
  onReopen: (line: ProposalLineView) => void;
  /** Takes a stale line as it stands. */
  onDespite: (line: ProposalLineView) => void;
  onReach: (line: ProposalLineView) => void;
  onCard: (card: CardFactsView, element: HTMLElement) => void;
  onCardLeave: () => void;
}

/** One line of a proposal, in whatever state it is. */
export function LineRow(props: {
  line: ProposalLineView;
  proposer: string;
  isTicked: boolean;
  isReached: boolean;
  on: LineHandlers;
}) {
  const { line, isReached, on } = props;
  const { sign, text, tone } = lineWords(line.line);
  const usable = isUsable(line);
  const [word, badge] = STATES[line.state] ?? [line.state, "plain"];
  return (
    <li
      data-line={line.id}
      data-state={line.state}
      tabIndex={-1}
      aria-current={isReached || undefined}
      onFocus={() => on.onReach(line)}
      onPointerDown={() => on.onReach(line)}
      className={cx(
        "flex gap-2.5 border-l-4 px-3 py-2 outline-none",
        isReached ? "border-l-accent bg-raised" : "border-l-transparent",
      )}
    >
      <input
        type="checkbox"
        className="mt-1 size-4 shrink-0"
        aria-label={text}
        checked={usable && props.isTicked}
        disabled={!usable}
        onChange={() => on.onTick(line)}
      />
      <div className="min-w-0 flex-1 text-sm">
        <p className={cx("flex gap-2 break-words", isWaiting(line) && usable ? "text-ink" : "text-muted")}>
          <span
            aria-hidden
            className={cx("w-4 shrink-0 text-center font-semibold", usable && SIGN_TONES[tone])}
          >
            {sign}
          </span>
          <span dir="auto" className={cx("min-w-0", line.state === "refused" && "line-through")}>
            {text}
          </span>
        </p>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 pl-6">
          <Badge tone={badge}>{word}</Badge>
          {line.cards.map((card) => (
            <CardChip key={card.oracle_id} card={card} on={on} />
          ))}
        </div>
        {line.cause && (
          <p
            className={cx(
              "mt-1 pl-6 text-[13px] break-words",
              line.state === "stale" ? "text-wait" : "text-muted",
            )}
          >
            {line.state === "refused" ? `“${visible(line.cause)}”` : visible(line.cause)}
          </p>
        )}
        {line.original && (
          <p className="mt-1 pl-6 text-[13px] break-words text-muted">
            {visibleLine(props.proposer)} wrote: {lineWords(line.original).text}
          </p>
        )}
      </div>
      <Acts line={line} text={text} on={on} />
    </li>
  );
}

function CardChip({ card, on }: { card: CardFactsView; on: LineHandlers }) {
  return (
    <button
      type="button"
      className="flex max-w-full items-center gap-1.5 rounded-md border border-line px-1 py-0.5 text-xs text-muted hover:border-line-strong hover:text-ink"
      aria-label={`Show ${visibleLine(card.name)}`}
      onPointerEnter={(event) => event.pointerType === "mouse" && on.onCard(card, event.currentTarget)}
      onPointerLeave={on.onCardLeave}
      onFocus={(event) => on.onCard(card, event.currentTarget)}
      onClick={(event) => on.onCard(card, event.currentTarget)}
      onBlur={on.onCardLeave}
    >
      <CardThumb card={card} />
      <span className="truncate">{visibleLine(card.type_line)}</span>
      <ManaCost cost={card.mana_cost} />
    </button>
  );
}

function Acts({ line, text, on }: { line: ProposalLineView; text: string; on: LineHandlers }) {
  const icon = "size-4";
  if (line.state === "refused")
    return (
      <IconButton
        size="s"
        label={`Open again: ${text}`}
        icon={<RotateCcw aria-hidden className={icon} />}
        onClick={() => on.onReopen(line)}
      />
    );
  if (!isWaiting(line)) return null;
  return (
    <span className="flex shrink-0">
      {line.state === "stale" && (
        <IconButton
          size="s"
          label={`Approve in spite of the change: ${text}`}
          icon={<Check aria-hidden className={icon} />}
          onClick={() => on.onDespite(line)}
        />
      )}
      {canRewrite(line.line) && (
        <IconButton
          size="s"
          label={`Rewrite: ${text}`}
          icon={<Pencil aria-hidden className={icon} />}
          onClick={() => on.onRewrite(line)}
        />
      )}
      <IconButton
        size="s"
        label={`Reject: ${text}`}
        icon={<X aria-hidden className={icon} />}
        onClick={() => on.onReject(line)}
      />
    </span>
  );
}

import { Check, MoreHorizontal } from "lucide-react";
import { useState } from "react";
import type { DeckProposalView, DeckStateView, ProposalLineView } from "@/api/generated";
import { useCommands } from "@/app/commands";
import { Button, IconButton, Kbd, Menu, PlainText } from "@/ui";
import { entriesOf } from "./board-model";
import { Conflict } from "./conflict";
import { EffectPanel } from "./effect-panel";
import { LineRow } from "./line-row";
import { CardPreview } from "./preview";
import { RejectDialog } from "./reject-dialog";
import { allTicked, isUsable, isWaiting, positionWords, progressWords, type Unticked } from "./review-model";
import { RewriteDialog } from "./rewrite-dialog";
import { canRewrite } from "./rewrite-model";
import { usePreview } from "./use-preview";
import { useReview } from "./use-review";
import { actorWords, lineWords } from "./words";

interface Props {
  state: DeckStateView;
  proposal: DeckProposalView;
  unticked: Unticked;
  onUnticked: (unticked: Unticked) => void;
}

/** Lines that somebody is about to reject, and what the box that asks why is called. */
interface Rejecting {
  title: string;
  lines: readonly ProposalLineView[];
}

export function ProposalReview({ state, proposal, unticked, onUnticked }: Props) {
  const review = useReview(state, proposal, unticked, onUnticked);
  const preview = usePreview();
  const names = new Map(entriesOf(state).map((card) => [card.oracle_id, card.name]));
  const [rejecting, setRejecting] = useState<Rejecting | null>(null);
  const [rewriting, setRewriting] = useState<ProposalLineView | null>(null);
  const { line, ticked } = review;
  const rejectLine = (one: ProposalLineView | undefined) => {
    if (one && isWaiting(one)) setRejecting({ title: "Reject the line", lines: [one] });
  };
  const rewriteLine = (one: ProposalLineView | undefined) => {
    if (one && isWaiting(one) && canRewrite(one.line)) setRewriting(one);
  };
  useReviewKeys(
    review,
    () => rejectLine(line),
    () => rewriteLine(line),
  );
  const isAll = ticked.length > 0 && ticked.length === proposal.ops.filter(isUsable).length;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_17rem]">
      <section aria-labelledby="proposal-title" className="min-w-0">
        {review.conflict && (
          <Conflict
            error={review.conflict}
            proposal={proposal}
            left={ticked.length}
            nameOf={(card) => names.get(card) ?? card}
            onClose={review.forgetConflict}
          />
        )}
        <div className="overflow-hidden rounded-xl border border-line bg-surface">
          <Head proposal={proposal} ticked={ticked} onReject={setRejecting} />
          <div className="flex items-center gap-3 border-y border-line px-3 py-1.5 pl-4 text-[13px] text-muted">
            <input
              type="checkbox"
              className="size-4"
              aria-label="Tick all open lines"
              checked={isAll}
              disabled={!proposal.ops.some(isUsable)}
              onChange={() => onUnticked(allTicked(proposal, unticked, !isAll))}
            />
            <span aria-live="polite" className="tabular-nums" data-testid="position">
              {positionWords(proposal, review.reached)}
            </span>
            <span className="ml-auto">{ticked.length} ticked</span>
          </div>
          <ol ref={review.list} aria-label="Lines of the proposal" className="divide-y divide-line">
            {proposal.ops.map((one) => (
              <LineRow
                key={one.id}
                line={one}
                proposer={proposal.by.name}
                isTicked={!unticked.has(one.id)}
                isReached={one.id === review.reached}
                on={{
                  onTick: () => review.tick(one.id),
                  onReject: rejectLine,
                  onRewrite: rewriteLine,
                  onReopen: () => void review.reopen(one.id),
                  onDespite: () => void review.takeDespite(one.id),
                  onReach: () => review.setReached(one.id),
                  onCard: (card, element) => preview.show(card.oracle_id, card, element),
                  onCardLeave: preview.leave,
                }}
              />
            ))}
          </ol>
        </div>
        <ApproveBar review={review} />
      </section>
      <div className="lg:sticky lg:top-4">
        <EffectPanel deck={state.deck_id} rev={state.rev} proposal={proposal} ticked={ticked} />
      </div>
      <CardPreview
        shown={preview.shown}
        onEnter={preview.stay}
        onLeave={preview.leave}
        onClose={preview.close}
      />
      {rejecting && (
        <RejectDialog
          title={rejecting.title}
          lines={rejecting.lines.map((one) => lineWords(one.line).text)}
          onClose={() => setRejecting(null)}
          onReject={async (reason) => {
            await review.reject(
              rejecting.lines.map((one) => one.id),
              reason,
            );
            setRejecting(null);
          }}
        />
      )}
      {rewriting && (
        <RewriteDialog
          deck={state.deck_id}
          line={rewriting}
          onClose={() => setRewriting(null)}
          onSave={async (op) => {
            if (await review.rewrite(rewriting.id, op)) setRewriting(null);
          }}
        />
      )}
    </div>
  );
}

/** Who proposes it and why. What rejects much stands here, far from what approves. */
function Head(props: {
  proposal: DeckProposalView;
  ticked: readonly number[];
  onReject: (what: Rejecting) => void;
}) {
  const { proposal, ticked } = props;
  const some = proposal.ops.filter((line) => ticked.includes(line.id));
  const all = proposal.ops.filter(isWaiting);
  return (
    <header className="flex items-start gap-2 px-4 pt-3 pb-2">
      <div className="min-w-0 flex-1">
        <h2 id="proposal-title" className="text-sm font-semibold text-ink">
          {actorWords(proposal.by)} proposes
        </h2>
        <div className="text-sm text-ink">
          <PlainText text={proposal.reason} />
        </div>
        <p className="mt-0.5 text-[13px] text-muted">
          {progressWords(proposal)}; for revision {proposal.deck_rev}
        </p>
      </div>
      {all.length > 0 && (
        <Menu
          label="Reject more than a line"
          trigger={
            <IconButton
              size="s"
              label="Reject more than a line"
              icon={<MoreHorizontal aria-hidden className="size-4" />}
            />
          }
          items={[
            {
              label: `Reject what is ticked (${some.length})…`,
              disabled: some.length === 0,
              onSelect: () => props.onReject({ title: "Reject what is ticked", lines: some }),
            },
            {
              label: `Reject the whole proposal (${all.length})…`,
              danger: true,
              onSelect: () => props.onReject({ title: "Reject the whole proposal", lines: all }),
            },
          ]}
        />
      )}
    </header>
  );
}

function ApproveBar({ review }: { review: ReturnType<typeof useReview> }) {
  const { ticked } = review;
  if (review.waiting.length === 0) return null;
  return (
    <div className="sticky bottom-0 z-10 mt-2 flex flex-wrap items-center gap-3 border-t border-line bg-bg py-2">
      <Button
        tone="primary"
        busy={review.isBusy}
        disabled={ticked.length === 0}
        icon={<Check aria-hidden className="size-4" />}
        onClick={() => void review.approve()}
      >
        Approve {ticked.length} ticked
      </Button>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted max-sm:hidden short:hidden">
        <span>
          <Kbd keys="j" /> <Kbd keys="k" /> move
        </span>
        <span>
          <Kbd keys="x" /> tick
        </span>
        <span>
          <Kbd keys="e" /> rewrite
        </span>
        <span>
          <Kbd keys="r" /> reject the line
        </span>
        <span>
          <Kbd keys="a" /> approve
        </span>
      </span>
    </div>
  );
}

function useReviewKeys(review: ReturnType<typeof useReview>, reject: () => void, rewrite: () => void): void {
  const group = "Review of a deck";
  useCommands([
    { id: "review:next", label: "Next line", group, keys: "j", run: () => review.step(1) },
    { id: "review:before", label: "Line before", group, keys: "k", run: () => review.step(-1) },
    {
      id: "review:tick",
      label: "Tick the line, or take the tick off",
      group,
      keys: "x",
      run: () => review.reached !== null && review.tick(review.reached),
    },
    {
      id: "review:approve",
      label: "Approve what is ticked",
      group,
      keys: "a",
      run: () => void review.approve(),
    },
    { id: "review:reject", label: "Reject the line, with a reason", group, keys: "r", run: reject },
    { id: "review:rewrite", label: "Rewrite the line", group, keys: "e", run: rewrite },
  ]);
}

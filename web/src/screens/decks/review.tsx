// What agents propose for a deck, all of it at once, and what a person answers.
import { ClipboardCheck } from "lucide-react";
import type { DeckStateView } from "@/api/generated";
import { EmptyState, Select, visibleLine } from "@/ui";
import { ProposalReview } from "./proposal-review";
import { inOrder, progressWords, type Unticked } from "./review-model";
import { actorWords } from "./words";

const NONE: Unticked = new Set();
const CHOICE_CHARS = 60;

export function Review(props: {
  state: DeckStateView;
  /** The proposal that the address names. */
  chosen: string | undefined;
  onChoose: (proposal: string) => void;
  ticks: Readonly<Record<string, Unticked>>;
  onTicks: (proposal: string, unticked: Unticked) => void;
}) {
  const { state, chosen } = props;
  const { waiting, answered } = inOrder(state.proposals);
  const all = [...waiting, ...answered];
  const shown = all.find((one) => one.id === chosen) ?? all[0];
  if (!shown)
    return (
      <EmptyState title="Nothing is proposed" icon={<ClipboardCheck aria-hidden className="size-7" />}>
        Ask an agent that works on this deck to improve it. What it proposes waits here, line by line, and
        changes nothing until you approve it.
      </EmptyState>
    );
  return (
    <div className="py-4">
      {all.length > 1 && (
        <Select
          label="Proposal"
          className="mb-3 max-w-xl"
          value={shown.id}
          onChange={(event) => props.onChoose(event.target.value)}
        >
          {all.map((one) => (
            <option key={one.id} value={one.id}>
              {actorWords(one.by)}: {visibleLine(one.reason.slice(0, CHOICE_CHARS))} ({progressWords(one)})
            </option>
          ))}
        </Select>
      )}
      <ProposalReview
        key={shown.id}
        state={state}
        proposal={shown}
        unticked={props.ticks[shown.id] ?? NONE}
        onUnticked={(unticked) => props.onTicks(shown.id, unticked)}
      />
    </div>
  );
}

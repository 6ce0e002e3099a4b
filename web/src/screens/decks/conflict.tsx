import { useEffect, useRef } from "react";
import { type ApiError, messageOf } from "@/api/errors";
import type { DeckProposalView } from "@/api/generated";
import { Button, visible } from "@/ui";
import { conflictsOf } from "./conflicts";
import { changeWords, lineWords } from "./words";

/** The keeper refused, for the deck moved on: what changed, line by line. What was ticked stays ticked. */
export function Conflict(props: {
  error: ApiError;
  proposal: DeckProposalView;
  /** Ticked lines that can still be approved. */
  left: number;
  nameOf: (card: string) => string;
  onClose: () => void;
}) {
  const { error, proposal, nameOf } = props;
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each refusal
  useEffect(() => box.current?.focus(), [error]);
  const words = (id: number) => {
    const line = proposal.ops.find((one) => one.id === id);
    return line ? lineWords(line.line).text : `Line ${id}`;
  };
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      data-testid="conflict"
      className="mb-3 rounded-lg border border-wait/60 bg-wait-soft px-4 py-3 text-sm text-ink outline-none"
    >
      <p className="font-medium">The deck changed; nothing was approved.</p>
      <p className="break-words">{visible(messageOf(error))}</p>
      <ul className="mt-1 list-disc pl-5">
        {conflictsOf(error).map((one) => (
          <li key={one.id} className="break-words">
            {words(one.id)}: {visible(one.cause)}
            {(one.changes ?? []).length > 0 && (
              <span className="text-muted">
                {" "}
                ({one.changes.map((change) => changeWords(change, nameOf)).join("; ")})
              </span>
            )}
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <span className="text-[13px] text-muted">
          Your ticks are kept; {props.left} of them can still be approved.
        </span>
        <Button size="s" onClick={props.onClose}>
          Understood
        </Button>
      </div>
    </div>
  );
}

import { useEffect, useRef } from "react";
import { type ApiError, messageOf } from "@/api/errors";
import { Button, visible } from "@/ui";
import type { ProposalView } from "./types";
import { lineWords } from "./words";

/** The keeper refused, for the deck moved on: what changed, line by line. What was ticked stays ticked. */
export function Conflict(props: {
  error: ApiError;
  proposal: ProposalView;
  left: number;
  onClose: () => void;
}) {
  const { error, proposal } = props;
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each refusal
  useEffect(() => box.current?.focus(), [error]);
  const words = (path: string) => {
    const line = proposal.ops.find((one) => one.id === path || path.endsWith(`.${one.id}`));
    return line ? lineWords(line.line).text : null;
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
      {error.details.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {error.details.map((detail) => (
            <li key={detail.path + detail.message} className="break-words">
              {words(detail.path) && <span className="text-muted">{words(detail.path)}: </span>}
              {visible(detail.message)}
            </li>
          ))}
        </ul>
      )}
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

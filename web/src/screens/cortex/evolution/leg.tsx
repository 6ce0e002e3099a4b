import type { ComparedLegView } from "@/api/generated";
import { PlainText, visible } from "@/ui";
import { MEASURES } from "./model";

/** What one of the two did with a request: its figures, its calls, and with `isWhole` what it said. */
export function Leg({
  name,
  leg,
  isWhole = false,
}: {
  name: string;
  leg: ComparedLegView;
  isWhole?: boolean;
}) {
  const figures = MEASURES.flatMap((measure) => {
    const value = measure.of(leg);
    return value ? [`${measure.name.toLowerCase()} ${measure.format(value)}`] : [];
  });
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="break-words text-ink">
        {leg.error && (
          <span className="block text-fail">
            failed: {visible(leg.error)}
            {leg.repeats === true && " (again when it was asked twice more)"}
          </span>
        )}
        {isWhole && leg.answer && <PlainText text={leg.answer} className="my-1" />}
        {isWhole && !leg.answer && leg.answer !== null && leg.answer !== undefined && (
          <span className="block text-muted italic">an empty reply</span>
        )}
        {leg.calls.length > 0 && (
          <span className="block text-[13px] text-muted">calls {visible(leg.calls.join(", "))}</span>
        )}
        {!leg.error && (
          <span className={isWhole ? "block text-[13px] text-muted" : "block"}>
            {figures.join(", ") || "nothing was measured"}
            {isWhole && (leg.runs ?? 1) > 1 && ` (medians of ${leg.runs} runs)`}
          </span>
        )}
        {isWhole && typeof leg.again_agrees === "boolean" && (
          <span className="block text-[13px] text-muted">
            asked once more, it {leg.again_agrees ? "answered alike" : "answered otherwise"}
          </span>
        )}
      </dd>
    </div>
  );
}

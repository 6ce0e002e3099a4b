import { useMemo } from "react";
import type { EvolutionDetailView } from "@/api/generated";
import { Code } from "@/ui";
import { lineDiff } from "../diff";
import { DiffView } from "../diff-view";

/** Whether there is code to hold a change against: none stands before that of a base module, or of a mind. */
export function hasDiff(change: EvolutionDetailView): boolean {
  return change.code !== "" && typeof change.code_before === "string";
}

/** What a change would replace: its code against the one before it, or whole; of a mind what would change. */
export function CodeChange({ change, isWhole }: { change: EvolutionDetailView; isWhole: boolean }) {
  const { code, code_before: before } = change;
  const lines = useMemo(() => lineDiff(before ?? "", code), [before, code]);
  if (hasDiff(change) && !isWhole) return <DiffView lines={lines} label="What the code differs in" />;
  return (
    <div className="px-4 py-3">
      {code === "" ? (
        <Code text={JSON.stringify(change.change, null, 2)} label="What would change" />
      ) : (
        <Code text={code} label="The code" />
      )}
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { readDiff } from "@/screens/cortex/diff";
import { DiffView } from "@/screens/cortex/diff-view";
import { proposalsQuery } from "@/screens/cortex/queries";
import { LoadError, Loading } from "@/ui";

/** What a proposal would change of who an agent is: seen before it is decided. */
export function IdentityChange({ agent, id }: { agent: string; id: string }) {
  const found = useQuery(proposalsQuery(agent));
  const proposal = found.data?.items.find((one) => one.proposal_id === id);
  const lines = useMemo(() => readDiff(proposal?.diff ?? ""), [proposal?.diff]);
  if (found.isError)
    return (
      <LoadError
        what="What would change could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  if (found.isPending) return <Loading what="what would change" />;
  if (!proposal) return null;
  return (
    <section
      aria-label="What would change"
      tabIndex={0}
      className="mt-2 max-h-72 overflow-y-auto rounded-md border border-line bg-field pt-2"
    >
      <DiffView lines={lines} label="What the proposal would change" />
    </section>
  );
}

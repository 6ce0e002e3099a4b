import { useQuery } from "@tanstack/react-query";
import { CodeChange } from "@/screens/cortex/evolution/code-change";
import { divergencesOf, figuresOf } from "@/screens/cortex/evolution/model";
import { changeQuery } from "@/screens/cortex/evolution/queries";
import { LoadError, Loading, visible, visibleLine } from "@/ui";

/** What a change of an agent is, and what was measured of it: seen before it is decided. */
export function EvolutionChange({ agent, id }: { agent: string; id: string }) {
  const found = useQuery(changeQuery(agent, id));
  if (found.isError) {
    return (
      <LoadError
        what="The change could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  if (found.isPending) return <Loading what="the change" />;
  const change = found.data;
  const figures = figuresOf(change).filter((one) => one.measured !== undefined);
  const differing = divergencesOf(change.compared).length;
  return (
    <div className="mt-2 text-sm">
      <p dir="auto" className="break-words text-ink">
        {visible(change.reason)}
      </p>
      <ul aria-label="Measured" className="flex flex-wrap gap-x-4 text-muted">
        {figures.map((one) => (
          <li key={one.name}>
            {visibleLine(one.name)} {one.measured}
            {one.expected !== undefined && ` (expected ${one.expected})`}
          </li>
        ))}
        <li>
          {differing} of {change.compared.length} pairs differ
        </li>
      </ul>
      <section
        aria-label="What would change"
        tabIndex={0}
        className="mt-2 max-h-72 overflow-y-auto rounded-md border border-line bg-field pt-2"
      >
        <CodeChange change={change} isWhole={false} />
      </section>
    </div>
  );
}

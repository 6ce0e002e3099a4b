import type { AttentionView } from "@/api/generated";
import { takeBack } from "@/app/aside";
import { Badge, Button, Time, visibleLine } from "@/ui";
import { lookOf } from "./looks";

/** Matters that were put aside in this browser and are still open. */
export function PutAside({ matters }: { matters: readonly AttentionView[] }) {
  if (matters.length === 0) return null;
  return (
    <details className="border-t border-line text-[13px]">
      <summary className="cursor-pointer px-4 py-2 text-muted">
        {matters.length} put aside in this browser, still open
      </summary>
      <ul aria-label="Put aside" className="divide-y divide-line border-t border-line">
        {matters.map((matter) => (
          <li key={matter.id} className="flex items-center gap-3 px-4 py-2">
            <Badge tone={lookOf(matter.kind).tone}>{lookOf(matter.kind).word}</Badge>
            <span dir="auto" className="min-w-0 flex-1 truncate text-ink">
              {visibleLine(matter.summary)}
            </span>
            <Time at={matter.since} className="text-muted max-sm:hidden" />
            <Button size="s" onClick={() => takeBack(matter)}>
              Take back
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

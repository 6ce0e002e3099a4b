import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { AttentionView } from "@/api/generated";
import { Badge, cx } from "@/ui";
import type { MatterGroup } from "./groups";
import { lookOf } from "./looks";
import { Matter } from "./matter";

interface Props {
  group: MatterGroup;
  current: string | null;
  chosen: ReadonlySet<string>;
  onCurrent: (id: string) => void;
  onChosen: (ids: readonly string[], isChosen: boolean) => void;
  onAside: (matters: readonly AttentionView[], until?: number) => void;
}

/** Matters of one agent and one cause; where there are several, under a line that folds them. */
export function MatterGroupView({ group, current, chosen, onCurrent, onChosen, onAside }: Props) {
  const [isFolded, setFolded] = useState(false);
  const look = lookOf(group.kind);
  const { matters } = group;
  const rows = matters.map((matter) => (
    <Matter
      key={matter.id}
      matter={matter}
      isCurrent={matter.id === current}
      isChosen={chosen.has(matter.id)}
      onCurrent={() => onCurrent(matter.id)}
      onChosen={(isChosen) => onChosen([matter.id], isChosen)}
      onAside={(until) => onAside([matter], until)}
    />
  ));
  if (matters.length === 1) return rows;
  const ids = matters.map((one) => one.id);
  const name = `${group.citizen ?? "the keeper"}, ${matters.length} × ${look.word}`;
  return (
    <li>
      <div className="flex items-center gap-3 bg-raised/40 px-4 py-1.5 text-[13px]">
        <input
          type="checkbox"
          aria-label={`Choose all: ${name}`}
          className="size-4 shrink-0 accent-accent"
          checked={ids.every((id) => chosen.has(id))}
          onChange={(event) => onChosen(ids, event.target.checked)}
        />
        <button
          type="button"
          aria-expanded={!isFolded}
          className="flex min-w-0 flex-1 items-center gap-2 text-left text-ink"
          onClick={() => setFolded(!isFolded)}
        >
          <ChevronRight
            aria-hidden
            className={cx("size-4 shrink-0 text-muted transition-transform", !isFolded && "rotate-90")}
          />
          <span className="truncate font-medium">{group.citizen ?? "the keeper"}</span>
          <Badge tone={look.tone}>
            {matters.length} × {look.word}
          </Badge>
        </button>
      </div>
      {!isFolded && (
        <ul aria-label={name} className="divide-y divide-line border-t border-line">
          {rows}
        </ul>
      )}
    </li>
  );
}

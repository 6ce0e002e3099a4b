import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

export interface Tab {
  id: string;
  label: ReactNode;
  content: ReactNode;
}

/** Parts of a screen, one shown at a time. Only the shown one is drawn. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: readonly Tab[];
  value: string;
  onChange: (id: string) => void;
  label: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => followChosen(list.current, value), [value]);
  return (
    <Radix.Root value={value} onValueChange={onChange} className="flex min-h-0 flex-1 flex-col">
      <Radix.List
        ref={list}
        aria-label={label}
        className="relative flex gap-1 overflow-x-auto border-b border-line px-3"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="min-h-0 flex-1 overflow-y-auto">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/** Where not all tabs have room, the chosen one is kept in sight, also when another grows. */
function followChosen(list: HTMLElement | null, value: string): (() => void) | undefined {
  if (!list || typeof ResizeObserver === "undefined") return undefined;
  const show = () => {
    const chosen = list.querySelector<HTMLElement>(`[aria-controls$="-content-${CSS.escape(value)}"]`);
    if (!chosen) return;
    const [start, end] = [chosen.offsetLeft, chosen.offsetLeft + chosen.offsetWidth];
    if (start < list.scrollLeft) list.scrollLeft = start;
    else if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth;
  };
  const watch = new ResizeObserver(show);
  for (const element of [list, ...list.children]) watch.observe(element);
  return () => watch.disconnect();
}

import { oneOf, text, whole } from "@/app/search";

export const PARTS = ["identity", "knowledge", "graph", "dreams", "sleep", "evolution"] as const;
export type CortexPart = (typeof PARTS)[number];

/** `?tab=` is a part of the screen, `?q=` searches in it; the rest says what is looked at, so that it can be sent as a link. */
export interface CortexSearch {
  tab?: CortexPart | undefined;
  q?: string | undefined;
  /** Identity: the version that is read, and two that are compared. */
  version?: number | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /** Knowledge: of one category, with one tag. */
  category?: string | undefined;
  tag?: string | undefined;
  /** Knowledge and graph: also what holds no longer. */
  past?: boolean | undefined;
  /** Graph: nodes of one type, and the node that is looked at. */
  type?: string | undefined;
  node?: string | undefined;
  /** The dream that is read. */
  dream?: string | undefined;
  /** Evolution: the change that is looked at, its report in place of its code; or the search for a better order. */
  change?: string | undefined;
  report?: boolean | undefined;
  searches?: boolean | undefined;
}

export function cortexSearch(search: Record<string, unknown>): CortexSearch {
  return {
    tab: oneOf(search.tab, PARTS),
    q: text(search.q),
    version: whole(search.version),
    from: whole(search.from),
    to: whole(search.to),
    category: text(search.category, 32),
    tag: text(search.tag, 64),
    past: set(search.past),
    type: text(search.type, 32),
    node: text(search.node, 128),
    dream: text(search.dream),
    change: text(search.change, 64),
    report: set(search.report),
    searches: set(search.searches),
  };
}

function set(value: unknown): true | undefined {
  return value === true || value === "true" || value === 1 || value === "1" ? true : undefined;
}

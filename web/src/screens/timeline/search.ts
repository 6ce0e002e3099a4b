import { oneOf, text, whole } from "@/app/search";

export const VIEWS = ["story", "turns", "lines"] as const;
export type View = (typeof VIEWS)[number];
export const AXES = ["time", "tick"] as const;
export type Axis = (typeof AXES)[number];

/** What a row is: an epoch with all that it did, or an event. */
export const ROWS = ["epochs", "lines"] as const;
export type Rows = (typeof ROWS)[number];

/** `?rows=` says what a row is; without it an epoch, unless the address asks for something that only events have. `?seq=` leads to one event, `?view=` to a view of its epoch; `?agent=`, `?kind=` and `?q=` filter; `?axis=` says what counts. */
export interface TimelineSearch {
  seq?: number | undefined;
  agent?: string | undefined;
  /** A kind, `memory.*`, or several with commas between. */
  kind?: string | undefined;
  q?: string | undefined;
  view?: View | undefined;
  axis?: Axis | undefined;
  rows?: Rows | undefined;
}

/** What a row is, as an address asks for it. */
export function rowsOf({ rows, seq, kind, q, view, axis }: TimelineSearch): Rows {
  const isOfLines = seq !== undefined || !!kind || !!q || !!view || !!axis;
  return rows ?? (isOfLines ? "lines" : "epochs");
}

export function timelineSearch(search: Record<string, unknown>): TimelineSearch {
  return {
    seq: whole(search.seq),
    agent: text(search.agent, 64),
    kind: text(search.kind),
    q: text(search.q),
    view: oneOf(search.view, VIEWS),
    axis: oneOf(search.axis, AXES),
    rows: oneOf(search.rows, ROWS),
  };
}

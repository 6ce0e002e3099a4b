// Matters of one agent and one cause stand together.
import type { AttentionView } from "@/api/generated";

export interface MatterGroup {
  id: string;
  kind: string;
  citizen: string | null;
  /** In the order in which they came; at least one. */
  matters: AttentionView[];
}

/** Groups in the order of their first matter. */
export function groupsOf(matters: readonly AttentionView[]): MatterGroup[] {
  const groups = new Map<string, MatterGroup>();
  for (const matter of matters) {
    const citizen = matter.citizen ?? null;
    const id = `${matter.kind} ${citizen ?? ""}`;
    const known = groups.get(id);
    if (known) known.matters.push(matter);
    else groups.set(id, { id, kind: matter.kind, citizen, matters: [matter] });
  }
  return [...groups.values()];
}

/** What takes a look at each one first, and is not done to many at once. */
const SINGLE = new Set(["Approve", "Start now", "Restart it"]);

/** What can be done to all of them at once: what each of them offers under the same name. */
export function sharedActions(matters: readonly AttentionView[]): string[] {
  const [first, ...rest] = matters;
  const of = (matter: AttentionView) =>
    matter.actions.filter((one) => one.method !== "GET" && !SINGLE.has(one.label)).map((one) => one.label);
  if (!first) return [];
  return of(first).filter((label) => rest.every((one) => of(one).includes(label)));
}

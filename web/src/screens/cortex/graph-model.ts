// Nodes and edges of the keeper in the form that they are shown in.
import { isRecord } from "@/api/errors";
import type { EdgeView, NodeView } from "@/api/generated";

export const NODE_TYPES = [
  "Citizen",
  "Person",
  "Partnership",
  "Conversation_Memory",
  "Technical_Context",
  "Emotional_State",
  "Strategy_Pattern",
  "Code_Reference",
  "Failed_Attempt",
  "Constraint",
] as const;

export interface GraphNode {
  id: string;
  type: string;
  /** What it is about, in a line. */
  about: string;
  fields: { name: string; value: string }[];
  validFrom: string;
  validTo: string | null;
  author: string;
  sources: string[];
  seq: number;
}

/** Fields of every version; the others are those of its type. */
const STAMPS = new Set([
  "node_id",
  "type",
  "valid_from",
  "valid_to",
  "recorded_at",
  "author",
  "sources",
  "seq",
]);
/** The field that a node of each type is about. */
const ABOUT = ["name", "partner_name", "topic", "description", "emotion", "approach", "file_path"];

export function nodeOf(view: NodeView): GraphNode {
  const word = (value: unknown) => (typeof value === "string" ? value : "");
  const fields = Object.entries(view)
    .filter(([name, value]) => !STAMPS.has(name) && !isBlank(value))
    .map(([name, value]) => ({ name: name.replaceAll("_", " "), value: valueText(value) }));
  const about = ABOUT.map((name) => view[name]).find((value) => typeof value === "string" && value !== "");
  return {
    id: word(view.node_id),
    type: word(view.type),
    about: word(about),
    fields,
    validFrom: word(view.valid_from),
    validTo: word(view.valid_to) || null,
    author: word(view.author),
    sources: Array.isArray(view.sources) ? view.sources.map(String) : [],
    seq: typeof view.seq === "number" ? view.seq : 0,
  };
}

function isBlank(value: unknown): boolean {
  return (
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(valueText).join("\n");
  return isRecord(value) ? JSON.stringify(value) : String(value);
}

/** `HAS_TECHNICAL_CONTEXT` as people say it. */
export const edgeWord = (edge: string) => edge.toLowerCase().replaceAll("_", " ");
export const typeWord = (type: string) => type.toLowerCase().replaceAll("_", " ");

export interface Neighbour {
  id: string;
  edge: string;
  /** The edge leads away from the node that is looked at. */
  isOut: boolean;
  way: string | null;
  validFrom: string;
  validTo: string | null;
  seq: number;
}

/** What an edge leads to, seen from one of its ends. */
export function neighboursOf(id: string, edges: readonly EdgeView[]): Neighbour[] {
  return edges.map((edge) => ({
    id: edge.from === id ? edge.to : edge.from,
    edge: edge.edge,
    isOut: edge.from === id,
    way: edge.dependency_type ?? null,
    validFrom: edge.valid_from,
    validTo: edge.valid_to ?? null,
    seq: edge.seq,
  }));
}

export interface EdgeGroup {
  edge: string;
  isOut: boolean;
  neighbours: Neighbour[];
}

/** By kind and direction, those that lead away first. */
export function grouped(neighbours: readonly Neighbour[]): EdgeGroup[] {
  const groups = new Map<string, EdgeGroup>();
  for (const one of neighbours) {
    const key = `${one.isOut ? 0 : 1} ${one.edge}`;
    const group = groups.get(key) ?? { edge: one.edge, isOut: one.isOut, neighbours: [] };
    group.neighbours.push(one);
    groups.set(key, group);
  }
  return [...groups.entries()].sort(([a], [b]) => a.localeCompare(b)).map(([, group]) => group);
}

/** Neighbours that a drawing has room for. */
export const DRAWN_MAX = 12;

export interface Drawn {
  neighbour: Neighbour;
  x: number;
  y: number;
}

/** Places on an ellipse around the middle, from the left, as the hands of a clock go. */
export function placed(
  neighbours: readonly Neighbour[],
  size: { width: number; height: number; margin: number },
): Drawn[] {
  const drawn = neighbours.slice(0, DRAWN_MAX);
  const [cx, cy] = [size.width / 2, size.height / 2];
  return drawn.map((neighbour, at) => {
    const angle = (at / drawn.length) * 2 * Math.PI - Math.PI;
    return {
      neighbour,
      x: Math.round(cx + Math.cos(angle) * (cx - size.margin)),
      y: Math.round(cy + Math.sin(angle) * (cy - size.margin / 3)),
    };
  });
}

/** Whether a node holds the words that are looked for. */
export function holdsWords(node: GraphNode, q: string): boolean {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = [node.id, node.type, ...node.fields.map((field) => field.value)].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

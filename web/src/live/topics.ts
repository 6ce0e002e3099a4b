// Which events make which reads stale. A topic is the first word of a query's key (`api/queries.ts`).
import type { EventKind } from "@/api/generated";

export const TOPICS = [
  "attention",
  "approvals",
  "questions",
  "agents",
  "identity",
  "knowledge",
  "dreams",
  "graph",
  "sleep",
  "evolution",
  "watchdog",
  "evidence",
  "stdout",
  "wakes",
  "channels",
  "health",
  "servers",
  "tools",
  "decks",
  "cards",
  "media",
  "playlists",
] as const;

export type Topic = (typeof TOPICS)[number];

/** By group or whole kind. A kind that stands here itself takes the place of its group. */
const TOUCHED: Record<string, readonly Topic[]> = {
  "stimulus.accepted": ["agents"],
  "epoch.opened": ["agents"],
  "epoch.committed": ["agents", "attention", "evidence", "knowledge", "graph"],
  "epoch.aborted": ["agents", "attention", "approvals"],
  "epoch.dismissed": ["attention"],
  "turn.completed": ["evidence"],
  approval: ["approvals", "attention", "agents"],
  agent: ["agents", "attention"],
  "agent.measured": ["agents"],
  "agent.evidence_reported": ["evidence", "agents"],
  "memory.fact_remembered": ["knowledge"],
  "memory.fact_forgotten": ["knowledge"],
  "memory.forgotten": ["knowledge", "graph", "dreams", "attention"],
  "memory.fact_proposed": ["knowledge", "attention"],
  "memory.fact_decided": ["knowledge", "attention"],
  "memory.identity_changed": ["identity"],
  "memory.identity_proposed": ["identity", "attention"],
  "memory.identity_decided": ["identity", "attention"],
  "memory.dream_written": ["dreams"],
  "memory.dream_forgotten": ["dreams"],
  "memory.node_recorded": ["graph"],
  "memory.node_closed": ["graph"],
  "memory.edge_recorded": ["graph"],
  "memory.edge_closed": ["graph"],
  "memory.reset": ["knowledge"],
  sleep: ["sleep", "agents", "attention"],
  evolution: ["evolution", "attention"],
  watchdog: ["watchdog", "attention"],
  par: ["watchdog"],
  stdout: ["stdout"],
  space: ["stdout"],
  wake: ["wakes"],
  mcp: ["attention", "servers", "tools", "questions"],
  tools: ["tools"],
  channel: ["channels", "watchdog"],
  deck: ["decks", "attention"],
  cards: ["cards"],
  media: ["media"],
  "media.playlist_created": ["playlists"],
  "media.playlist_renamed": ["playlists"],
  "media.playlist_deleted": ["playlists"],
  "media.playlist_added": ["playlists"],
  "media.playlist_removed": ["playlists"],
  "media.playlist_moved": ["playlists"],
  keeper: ["health"],
};

/** The topics that a kind touches. */
export function touchedBy(kind: EventKind): readonly Topic[] {
  return TOUCHED[kind] ?? TOUCHED[kind.slice(0, kind.indexOf("."))] ?? [];
}

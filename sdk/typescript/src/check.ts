/**
 * Which fields each message must have, in both directions, and the path of the first that is wrong. One table a
 * direction; a rule is a path and a word. `?` after a name: may be absent or null. `[]`: every member of a list.
 * Fields that no table names are kept and passed on.
 */
import { InvalidMessage } from "./errors.js";
import { isMap, type Message } from "./frame.js";
import { VERSIONS_READ } from "./limits.js";

type Rules = Record<string, keyof typeof WORDS>;

const isInteger = (value: unknown): value is number | bigint => typeof value === "bigint" || Number.isSafeInteger(value);

const WORDS = {
  text: { holds: (value: unknown) => typeof value === "string", means: "must be text" },
  name: { holds: (value: unknown) => typeof value === "string" && value !== "", means: "must be text, not empty" },
  integer: { holds: isInteger, means: "must be an integer" },
  count: { holds: (value: unknown) => isInteger(value) && value >= 0, means: "must be an integer from 0" },
  sequence: { holds: (value: unknown) => isInteger(value) && value >= 1, means: "must be an integer from 1" },
  flag: { holds: (value: unknown) => typeof value === "boolean", means: "must be true or false" },
  map: { holds: isMap, means: "must be a map" },
  list: { holds: (value: unknown) => Array.isArray(value), means: "must be a list" },
  packed: {
    holds: (value: unknown) => isMap(value) || value instanceof Uint8Array || typeof value === "string",
    means: "must be a map, or bytes or base64 when compressed",
  },
} as const;

const ERROR: Rules = { error: "map", "error.code": "name", "error.message": "text" };

export const FROM_KEEPER: Record<string, Rules> = {
  welcome: { "keeper?": "text", "run?": "text", "limits?": "map", next_sequence: "sequence" },
  restore: {
    "checkpoint_id?": "text",
    "snapshot?": "packed",
    wal_entries: "list",
    "wal_entries[].operation": "name",
    "wal_entries[].params?": "map",
    "wal_entries[].sequence": "count",
    "next_sequence?": "sequence",
  },
  process_request: { request_id: "name", data: "map", "data.message": "text", "data.context?": "map", "data.user_id?": "text" },
  process_cancel: { request_id: "name", "reason?": "text" },
  wal_ack: { sequence: "count" },
  ping: { nonce: "integer" },
  checkpoint_request: { "reason?": "text" },
  metrics_request: {},
  checkpoint_ack: { checkpoint_id: "name", size: "count" },
  hot_reload: { code: "text", module: "name", "backup_checkpoint_id?": "text" },
  evolution_result: { success: "flag", decision: "name", "metrics?": "map", "reason?": "text" },
  shutdown: { "reason?": "text", "create_checkpoint?": "flag" },
  error: { ...ERROR, "error.details?": "map" },
};

export const FROM_AGENT: Record<string, Rules> = {
  hello: { agent: "name", "run?": "text", capabilities: "list", "capabilities[]": "text", "sdk?": "text", "token?": "text" },
  restore_ack: { ok: "flag", sequence: "count" },
  ready: {},
  process_delta: { request_id: "name", text: "text", "thought?": "flag" },
  process_response: {
    request_id: "name",
    voice: "map",
    "voice.tool_calls?": "list",
    "voice.tool_calls[].id": "name",
    "voice.tool_calls[].name": "name",
    "voice.tool_calls[].arguments": "map",
    "usage?": "map",
  },
  heartbeat: { "p?": "count" },
  pong: { nonce: "integer" },
  checkpoint: { data: "packed", "wal_sequence?": "count", "compressed?": "flag", "compression?": "text" },
  wal_entry: { data: "map", "data.operation": "name", "data.params": "map", "data.sequence": "count" },
  wal_batch: { data: "list", "data[].operation": "name", "data[].params": "map", "data[].sequence": "count" },
  evolution_intent: {
    hypothesis: "map",
    "hypothesis.reason": "text",
    "hypothesis.target": "name",
    "hypothesis.new_code": "text",
    "hypothesis.expected_improvement?": "map",
  },
  metrics: { data: "map" },
  hot_reload_ack: { module: "name", ok: "flag" },
  evidence: { body: "map", claim_type: "name", tags: "list", "tags[]": "text" },
  error: { ...ERROR, "error.stack_trace?": "text", "error.context?": "map", "request_id?": "text", "fatal?": "flag" },
};

/** Holds a message against the table of its direction. Throws InvalidMessage with the path of what is wrong. */
export function check(message: Message, direction: Record<string, Rules>): void {
  if (typeof message.type !== "string") {
    throw new InvalidMessage("type", "must be text");
  }
  if (!isInteger(message["timestamp"])) {
    throw new InvalidMessage("timestamp", WORDS.integer.means);
  }
  const version = message["version"] ?? 1;
  if (typeof version !== "number" || !VERSIONS_READ.includes(version)) {
    throw new InvalidMessage("version", "must be 1, 2 or 3", "UNSUPPORTED_VERSION");
  }
  const rules = Object.hasOwn(direction, message.type) ? direction[message.type] : undefined;
  if (!rules) {
    throw new InvalidMessage("type", `"${message.type.slice(0, 40)}" is no message of this direction`);
  }
  for (const [path, word] of Object.entries(rules)) {
    for (const { where, value, present } of found(message, path)) {
      if (!present) {
        throw new InvalidMessage(where, "is missing");
      }
      if (!WORDS[word].holds(value)) {
        throw new InvalidMessage(where, WORDS[word].means);
      }
    }
  }
}

interface Place {
  where: string;
  value: unknown;
  present: boolean;
}

/** Walks a path; gives each place it leads to with its value, or that nothing is there. */
function found(root: unknown, path: string): Place[] {
  const way = path.split(".");
  const last = way.pop() ?? "";
  let places: Place[] = [{ where: "", value: root, present: true }];
  for (const name of way) {
    places = places.flatMap(({ where, value }) => step(value, name).map((next) => ({ ...next, where: `${where}${next.where}.` })));
  }
  return places.flatMap(({ where, value: parent }) => (isMap(parent) ? leaf(where, parent, last) : []));
}

function leaf(where: string, parent: Record<string, unknown>, last: string): Place[] {
  const optional = last.endsWith("?");
  const name = optional ? last.slice(0, -1) : last;
  if (name.endsWith("[]")) {
    return step(parent, name).map((place) => ({ ...place, where: where + place.where }));
  }
  const present = Object.hasOwn(parent, name) && parent[name] !== undefined;
  if (optional && (!present || parent[name] === null)) {
    return [];
  }
  return [{ where: where + name, value: parent[name], present }];
}

function step(parent: unknown, name: string): Place[] {
  if (!isMap(parent)) {
    return [];
  }
  if (!name.endsWith("[]")) {
    return [{ where: name, value: parent[name], present: true }];
  }
  const key = name.slice(0, -2);
  const list = parent[key];
  return Array.isArray(list) ? list.map((value: unknown, at) => ({ where: `${key}[${at}]`, value, present: true })) : [];
}

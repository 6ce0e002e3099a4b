/**
 * Holds a message against the rules of its direction and names the first field that is wrong. The same for what comes in
 * and for what goes out: nothing leaves that the other side would refuse. Changes nothing.
 */
import { InvalidMessage } from "./errors.js";
import { DEPTH_MAX, FIELD_NAME_BYTES_MAX, FIELDS_MAX, LABEL_BYTES_MAX, OTHER_BYTES_MAX, TYPE_BYTES_MAX, VERSIONS_READ } from "./limits.js";
import { depthOf, isMap } from "./packing.js";
import { FROM_AGENT_RULES, SINCE_3, TO_AGENT_RULES, type Rule, type Structure, type Word } from "./rules.js";
import { checkPacked } from "./squeeze.js";

/** A message: a map with a `type`. */
export type Message = { type: string } & Record<string, unknown>;

interface Field {
  name: string;
  required: boolean;
  since3: boolean;
  rule: Compiled;
}

type Compiled = Word | { fields: readonly Field[] } | { each: Compiled } | { words: ReadonlySet<string> };

const U64_MAX = 2n ** 64n - 1n;
const AGENT = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** One way: its types, each with its fields. */
export class Direction {
  readonly #types: ReadonlyMap<string, readonly Field[]>;

  constructor(types: Readonly<Record<string, Structure>>) {
    this.#types = new Map(Object.entries(types).map(([type, structure]) => [type, fieldsOf(structure)]));
  }

  /** A type's fields; undefined for one that does not go this way. */
  fields(type: string): readonly Field[] | undefined {
    return this.#types.get(type);
  }

  /** Tells the cap of a type. */
  bytesMax(type: string): number {
    return (this.#types.has(type) ? TYPE_BYTES_MAX.get(type) : undefined) ?? OTHER_BYTES_MAX;
  }
}

function fieldsOf(structure: Structure): readonly Field[] {
  return Object.entries(structure).map(([written, rule]) => {
    const [, name = "", mark, version] = /^(\w+?)([?!]?)(3?)$/.exec(written) ?? [];
    return { name, required: mark !== "?", since3: version === "3", rule: compiled(rule) };
  });
}

function compiled(rule: Rule): Compiled {
  if (typeof rule === "string") {
    return rule;
  }
  if (rule instanceof Set) {
    return { words: rule };
  }
  return Array.isArray(rule) ? { each: compiled(rule[0] as Rule) } : { fields: fieldsOf(rule as Structure) };
}

export const TO_AGENT = new Direction(TO_AGENT_RULES);
export const FROM_AGENT = new Direction(FROM_AGENT_RULES);

/**
 * Throws InvalidMessage with the path and the kind of what is wrong, and the request it belongs to. `wholeFloats` are the
 * places that hold a float which looks like an integer here.
 */
export function check(message: Record<string, unknown>, direction: Direction, wholeFloats: ReadonlySet<string> = new Set()): void {
  try {
    new Checking(wholeFloats).message(message, direction);
  } catch (error) {
    if (error instanceof InvalidMessage && typeof message["request_id"] === "string") {
      error.requestId = message["request_id"];
    }
    throw error;
  }
}

/** One message being checked. */
class Checking {
  #version = 1;

  constructor(private readonly wholeFloats: ReadonlySet<string>) {}

  message(message: Record<string, unknown>, direction: Direction): void {
    this.#ownMap(message, "");
    this.#readVersion(message["version"] ?? 1);
    const type = required(message, "type");
    text(type, "type");
    const fields = direction.fields(type);
    if (!fields) {
      const known = TO_AGENT.fields(type) ?? FROM_AGENT.fields(type);
      throw new InvalidMessage("type", known ? "direction" : "unknown_type", `"${type.slice(0, 64)}" is not a message of this direction`);
    }
    if (this.#version < 3 && SINCE_3.has(type)) {
      throw new InvalidMessage("type", "version", `${type} needs version 3: send version 3 in each frame`);
    }
    this.#whole(required(message, "timestamp"), "timestamp", -(2n ** 63n), 2n ** 63n - 1n);
    anyMap(message["metadata"] ?? {}, "metadata");
    this.#structure(message, fields, "");
    if (type === "wal_entry" && depthOf(message) >= DEPTH_MAX) {
      throw new InvalidMessage("data", "depth", `is ${DEPTH_MAX} levels deep; one less is allowed`);
    }
  }

  #readVersion(version: unknown): void {
    this.#whole(version, "version", 0n, U64_MAX);
    this.#version = Number(version);
    if (!VERSIONS_READ.includes(this.#version)) {
      throw new InvalidMessage("version", "version", "must be 1, 2 or 3");
    }
  }

  #structure(value: Record<string, unknown>, fields: readonly Field[], path: string): void {
    for (const { name, required: isRequired, since3, rule } of fields) {
      if (since3 && this.#version < 3) {
        continue;
      }
      const where = path ? `${path}.${name}` : name;
      const inner = own(value, name);
      if (rule === "payload") {
        payload(value, name);
      } else if (inner !== undefined && inner !== null) {
        this.#hold(inner, rule, where);
      } else if (isRequired) {
        throw new InvalidMessage(where, "required", "is missing");
      }
    }
  }

  #hold(value: unknown, rule: Compiled, path: string): void {
    if (typeof rule === "string") {
      return this.#word(value, rule, path);
    }
    if ("each" in rule) {
      if (!Array.isArray(value)) {
        throw new InvalidMessage(path, "type", "must be a list");
      }
      value.forEach((member, at) => this.#hold(member, rule.each, `${path}[${at}]`));
    } else if ("words" in rule) {
      text(value, path);
      if (!rule.words.has(value)) {
        throw new InvalidMessage(path, "value", `must be one of ${[...rule.words].join(", ")}`);
      }
    } else {
      this.#ownMap(value, path);
      this.#structure(value, rule.fields, path);
    }
  }

  #word(value: unknown, word: Word, path: string): void {
    switch (word) {
      case "text":
        return text(value, path);
      case "short":
      case "label":
        return short(value, path, word === "label");
      case "agent":
        return agent(value, path);
      case "flag":
        return flag(value, path);
      case "count":
        return this.#whole(value, path, 0n, U64_MAX);
      case "sequence":
        return this.#whole(value, path, this.#version >= 3 ? 1n : 0n, U64_MAX);
      case "number":
        return number(value, path);
      case "json_map":
        anyMap(value, path);
        return json(value, path);
      case "json":
        return json(value, path);
      default:
        return anyMap(value, path);
    }
  }

  #whole(value: unknown, path: string, least: bigint, most: bigint): void {
    const isInteger = typeof value === "bigint" || Number.isSafeInteger(value);
    if (!isInteger || this.wholeFloats.has(path)) {
      throw new InvalidMessage(path, "type", "must be an integer");
    }
    if ((value as number) < least || (value as number) > most) {
      throw new InvalidMessage(path, "value", `must be an integer from ${least} to ${most}`);
    }
  }

  /** A map whose keys are the protocol's. */
  #ownMap(value: unknown, path: string): asserts value is Record<string, unknown> {
    anyMap(value, path);
    const keys = Object.keys(value);
    if (keys.length > FIELDS_MAX) {
      throw new InvalidMessage(path, "too_many", `has ${keys.length} fields; at most ${FIELDS_MAX}`);
    }
    if (!path && keys.some((key) => Buffer.byteLength(key) > FIELD_NAME_BYTES_MAX)) {
      throw new InvalidMessage(path, "key", `has a key of more than ${FIELD_NAME_BYTES_MAX} bytes`);
    }
  }
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function required(message: Record<string, unknown>, name: string): unknown {
  const value = own(message, name) ?? undefined;
  if (value === undefined) {
    throw new InvalidMessage(name, "required", "is missing");
  }
  return value;
}

function text(value: unknown, path: string): asserts value is string {
  if (typeof value !== "string") {
    throw new InvalidMessage(path, "type", "must be text");
  }
}

function short(value: unknown, path: string, isLabel: boolean): void {
  text(value, path);
  if (Buffer.byteLength(value) > LABEL_BYTES_MAX || (isLabel && value === "")) {
    throw new InvalidMessage(path, "value", `must be ${isLabel ? "1 to" : "at most"} ${LABEL_BYTES_MAX} bytes`);
  }
}

function agent(value: unknown, path: string): void {
  text(value, path);
  if (!AGENT.test(value)) {
    throw new InvalidMessage(path, "value", "must be an agent's id: a-z, 0-9, '.', '_', '-', at most 64");
  }
}

function flag(value: unknown, path: string): void {
  if (typeof value !== "boolean") {
    throw new InvalidMessage(path, "type", "must be true or false");
  }
}

function number(value: unknown, path: string): void {
  if (typeof value !== "number" && typeof value !== "bigint") {
    throw new InvalidMessage(path, "type", "must be a number");
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new InvalidMessage(path, "value", "is not a finite number");
  }
}

function anyMap(value: unknown, path: string): asserts value is Record<string, unknown> {
  if (!isMap(value)) {
    throw new InvalidMessage(path, "type", "must be a map");
  }
}

/** A value that becomes JSON: numbers are finite. (Keys are text, or the bytes were refused.) */
function json(value: unknown, path: string): void {
  if (typeof value === "number") {
    number(value, path);
  } else if (Array.isArray(value)) {
    value.forEach((inner, at) => json(inner, `${path}[${at}]`));
  } else if (isMap(value)) {
    Object.entries(value).forEach(([key, inner]) => json(inner, `${path}.${key}`));
  }
}

/** A state: a map, or that map's MessagePack compressed. */
function payload(message: Record<string, unknown>, name: string): void {
  const compressed = message["compressed"] ?? false;
  const compression = message["compression"] ?? undefined;
  flag(compressed, "compressed");
  if (compression !== undefined) {
    text(compression, "compression");
  }
  const state = required(message, name);
  if (compressed) {
    checkPacked(state, compression, name);
  } else if (!isMap(state)) {
    throw new InvalidMessage(name, "type", "must be a map (is `compressed` missing?)");
  }
}

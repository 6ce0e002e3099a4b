/**
 * The keys of operations that are logged once, however often a turn is asked. A key travels in its entry (`once`) and in
 * each checkpoint, beside the author's state: whoever restores knows it again. The newest `ONCE_KEYS_MAX` are known.
 */
import { LABEL_BYTES_MAX, ONCE_KEYS_MAX } from "./limits.js";

/** The key of a checkpoint's map under which the keys stand. No state may use it. */
export const ONCE_FIELD = "abide_once";

/** Refuses what is no key. */
export function checkKey(key: string): void {
  const bytes = typeof key === "string" ? new TextEncoder().encode(key).length : 0;
  if (bytes === 0 || bytes > LABEL_BYTES_MAX) {
    throw new TypeError(`a key is text of 1 to ${LABEL_BYTES_MAX} bytes, such as turn.key`);
  }
}

/** The newest keys, oldest first. */
export class OnceKeys {
  #keys = new Set<string>();

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Takes the key of an entry that is durable. */
  add(key: string | undefined): void {
    if (key === undefined) {
      return;
    }
    this.#keys.delete(key);
    this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= ONCE_KEYS_MAX) {
        break;
      }
      this.#keys.delete(oldest);
    }
  }

  /** Gives the state as it is stored, with the keys. */
  beside(state: Record<string, unknown>): Record<string, unknown> {
    if (ONCE_FIELD in state) {
      throw new TypeError(`a state must not use the key "${ONCE_FIELD}"`);
    }
    return this.#keys.size > 0 ? { ...state, [ONCE_FIELD]: [...this.#keys] } : state;
  }

  /** Takes the keys out of a stored state and gives what is the author's own. */
  takeBack(snapshot: Record<string, unknown> | null): Record<string, unknown> | null {
    this.#keys.clear();
    if (!snapshot || !(ONCE_FIELD in snapshot)) {
      return snapshot;
    }
    const { [ONCE_FIELD]: keys, ...own } = snapshot;
    for (const key of Array.isArray(keys) ? keys : []) {
      this.add(typeof key === "string" ? key : undefined);
    }
    return own;
  }
}

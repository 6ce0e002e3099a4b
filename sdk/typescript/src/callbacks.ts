/** What the author of an agent gives beside the handler: how state is written down and taken back. */
import type { Message } from "./frame.js";
import type { Entry } from "./journal.js";

/** A state of the agent's own making. Bytes travel as `{bytes: …}` and come back as bytes. */
export type State = Record<string, unknown> | Uint8Array;

/** The callbacks. All run one at a time on the main thread and must not wait for the agent's own calls. */
export interface Callbacks {
  /** Gives the whole state. */
  onCheckpoint?: () => State | Promise<State>;
  /**
   * Takes a state back: the snapshot (null without a checkpoint) and the entries after it. With `onEntry` the entries
   * go there and the list is empty.
   */
  onRestore?: (snapshot: State | null, entries: readonly Entry[]) => void | Promise<void>;
  /**
   * Applies one durable entry to the state: live and after a restart, in order, never twice. Not async. With it a
   * checkpoint may be taken at any time; without it, between turns.
   */
  onEntry?: (entry: Entry) => void;
  /** Loads new code between turns. A throw refuses it. */
  onHotReload?: (module: string, code: string) => void | Promise<void>;
  /** Adds numbers to each metrics report. */
  onMetrics?: () => Record<string, number>;
  /** Hears how an evolution intent ended. */
  onEvolutionResult?: (result: Message) => void | Promise<void>;
}

// Which tool a call is of. The line of its end names the call alone, by a number in its epoch; the lines before it name the tool.
import type { AnyEvent } from "./event";

/** So many lines before the end of a call are looked at. */
const LINES_BACK = 64;

/** The tool whose call ended, where the lines that say so are at hand; `at` gives a line by its sequence. */
export function toolOf(
  event: AnyEvent,
  at: (seq: number) => AnyEvent | null | undefined,
): string | undefined {
  if (event.kind !== "tool.finished") return undefined;
  const { call_id } = event.data;
  for (let seq = event.seq - 1; seq > 0 && seq >= event.seq - LINES_BACK; seq -= 1) {
    const line = at(seq);
    if (!line || line.epoch !== event.epoch) continue;
    if (line.kind === "tool.requested" && line.data.call_id === call_id) return line.data.name;
    if (line.kind === "turn.completed") {
      const call = line.data.voice.tool_calls?.find((one) => one.call_id === call_id);
      if (call) return call.name;
    }
  }
  return undefined;
}

/** The same among lines in any order. */
export function toolAmong(event: AnyEvent, lines: readonly AnyEvent[]): string | undefined {
  if (event.kind !== "tool.finished") return undefined;
  const known = new Map(lines.map((line) => [line.seq, line]));
  return toolOf(event, (seq) => known.get(seq));
}

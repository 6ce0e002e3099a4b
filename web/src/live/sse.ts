// Server-sent events over fetch: unlike EventSource it shows the status, takes a header, hears comments (a sign of life) and
// needs no list of kinds.

export interface Message {
  /** The sequence; null for what is not in the ledger. */
  id: number | null;
  event: string;
  data: string;
}

/** Longest block that is waited for; a server that never ends one is none of ours. */
const BLOCK_CHARS_MAX = 16 * 1024 * 1024;

/** Cuts a text that comes in pieces into messages. */
export class SseParser {
  #rest = "";

  push(piece: string): Message[] {
    this.#rest += piece;
    if (this.#rest.length > BLOCK_CHARS_MAX) throw new Error("an event is longer than any of this keeper's");
    const blocks = this.#rest.split(/\r?\n\r?\n/);
    this.#rest = blocks.pop() ?? "";
    return blocks.map(parseBlock).filter((message) => message !== null);
  }
}

function parseBlock(block: string): Message | null {
  const message: Message = { id: null, event: "message", data: "" };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const field = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (field === "id" && /^\d+$/.test(value)) message.id = Number(value);
    else if (field === "event") message.event = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return null;
  message.data = data.join("\n");
  return message;
}

/** Reads a stream of events until it ends or is aborted; `onBytes` hears every sign of life. */
export async function readStream(
  response: Response,
  onMessages: (messages: Message[]) => void,
  onBytes: () => void = () => {},
): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  const parser = new SseParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const messages = parser.push(decoder.decode(value, { stream: true }));
    if (messages.length > 0) onMessages(messages);
  }
}

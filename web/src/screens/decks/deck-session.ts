const SESSION_CHARS_MAX = 128;

/** The conversation about a deck: one for each person and deck. */
export function deckSession(sender: string, deck: string): string {
  return `direct:${sender.trim() || "user"}:deck:${deck}`.slice(0, SESSION_CHARS_MAX);
}

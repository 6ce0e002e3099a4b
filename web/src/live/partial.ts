/**
 * A growing answer as the keeper had it, joined with the pieces that came over the stream meanwhile. The keeper's text may hold
 * some of those pieces already: the longest run of first pieces that it ends with is in it.
 */
export function joinPartial(text: string, pieces: readonly string[]): string {
  for (let known = pieces.length; known > 0; known -= 1) {
    if (text.endsWith(pieces.slice(0, known).join(""))) return text + pieces.slice(known).join("");
  }
  return text + pieces.join("");
}

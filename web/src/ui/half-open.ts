/**
 * Markdown that is still being written, closed where it stands open, so that a growing answer does not flicker between plain and
 * formatted: fences, code spans, emphasis, and links whose address has not ended.
 */
export function closeHalfOpen(text: string): string {
  const fence = openFence(text);
  if (fence) return `${text}\n${fence}`;
  const start = text.lastIndexOf("\n\n") + 1;
  const block = text.slice(start);
  const head = text.slice(0, start);
  // A link is shown as its words until its address is whole.
  const linked = block.replace(/!?\[([^\]\n]*)\]\([^)\s]*$/, "$1").replace(/!?\[([^\]\n]*)$/, "$1");
  const ticks = count(linked, /`/g);
  if (ticks % 2 === 1) return `${head}${linked}\``;
  const bare = linked.replace(/`[^`]*`/g, "");
  if (count(bare, /\*\*/g) % 2 === 1) return `${head}${trimmed(linked, "**")}**`;
  if (count(bare, /~~/g) % 2 === 1) return `${head}${trimmed(linked, "~~")}~~`;
  return head + linked;
}

/** What would close the fence that is open at the end, if one is. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const found = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const mark = found?.[1];
    if (!mark) continue;
    if (open === null) open = mark;
    else if (mark[0] === open[0] && mark.length >= open.length && !found[2]?.trim()) open = null;
  }
  return open;
}

/** Closing marks must follow a letter: one that was only just opened is taken back. */
function trimmed(text: string, mark: string): string {
  const end = text.trimEnd();
  return end.endsWith(mark) ? `${end.slice(0, -mark.length)}${mark}\u200b` : end;
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}

// What two texts differ in, line by line: the keeper's own diff read into lines, and the same made here while somebody still writes.

export type DiffMark = "same" | "gone" | "come";

export interface DiffLine {
  mark: DiffMark;
  text: string;
}

/** Lines of no interest between two changes. */
export interface DiffGap {
  mark: "gap";
  lines: DiffLine[];
}

const MARKS: Record<string, DiffMark> = { " ": "same", "-": "gone", "+": "come" };

/** Cells of the table of common lines; beyond it the changed middle is shown as gone and come whole. */
const CELLS_MAX = 4_000_000;

/** The keeper's form: each line begins with ` `, `-` or `+`. */
export function readDiff(diff: string): DiffLine[] {
  if (diff === "") return [];
  const lines = diff.endsWith("\n") ? diff.slice(0, -1).split("\n") : diff.split("\n");
  return lines.map((line) => {
    const mark = MARKS[line.charAt(0)];
    return mark ? { mark, text: line.slice(1) } : { mark: "same", text: line };
  });
}

/** What must go from `old` and come to give `fresh`: as few lines as possible. */
export function lineDiff(old: string, fresh: string): DiffLine[] {
  const a = linesOf(old);
  const b = linesOf(fresh);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) {
    end++;
  }
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  // A line end at the end ends the last line; it begins no further one.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const same = (text: string): DiffLine => ({ mark: "same", text });
const gone = (text: string): DiffLine => ({ mark: "gone", text });
const come = (text: string): DiffLine => ({ mark: "come", text });

function middle(a: string[], b: string[]): DiffLine[] {
  if (a.length === 0 || b.length === 0 || a.length * b.length > CELLS_MAX)
    return [...a.map(gone), ...b.map(come)];
  const width = b.length + 1;
  // kept[i * width + j]: the most lines that a from i and b from j have in common.
  const kept = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => kept[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      kept[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [before, after] = [a[i] ?? "", b[j] ?? ""];
    if (before === after) {
      lines.push(same(before));
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push(gone(before));
      i++;
    } else {
      lines.push(come(after));
      j++;
    }
  }
  return [...lines, ...a.slice(i).map(gone), ...b.slice(j).map(come)];
}

/** How many lines go and come. */
export function sizeOf(lines: readonly DiffLine[]): { gone: number; come: number } {
  const of = (mark: DiffMark) => lines.filter((line) => line.mark === mark).length;
  return { gone: of("gone"), come: of("come") };
}

/** Folds long runs of unchanged lines, with some left around each change. */
export function folded(lines: readonly DiffLine[], around = 3): (DiffLine | DiffGap)[] {
  const shown: (DiffLine | DiffGap)[] = [];
  let at = 0;
  while (at < lines.length) {
    let end = at;
    while (lines[end]?.mark === "same") end++;
    const run = lines.slice(at, end);
    const before = at === 0 ? 0 : around;
    const after = end === lines.length ? 0 : around;
    // A fold of a single line hides nothing worth a press.
    if (run.length > before + after + 1) {
      shown.push(...run.slice(0, before));
      shown.push({ mark: "gap", lines: run.slice(before, run.length - after) });
      shown.push(...run.slice(run.length - after));
    } else {
      shown.push(...run);
    }
    const change = lines[end];
    if (change) shown.push(change);
    at = end + 1;
  }
  return shown;
}

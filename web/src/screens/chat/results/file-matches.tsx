import { Remark, useBounded } from "./bounded";
import { Path } from "./file-text";
import { type NumberedLine, NumberedLines } from "./numbered-lines";
import { blockOf, counted, countOf, fieldsOf, type Kept, keptOf, keptOrNone, lineOf, pathOf } from "./read";

interface Match {
  path: string;
  lines: NumberedLine[];
}

export interface FileMatches {
  /** What was found, by file in the order of the search. */
  files: Kept<Match>;
  found: number;
  searched: number;
  skipped: number;
  /** Why it ended early. */
  cut: string;
}

const SKIPS_MAX = 10;

/** `files.search`. */
export function parseFileMatches(result: unknown): FileMatches | null {
  const fields = fieldsOf(result);
  const found = keptOf(fields?.matches, matchOf);
  const searched = countOf(fields?.files);
  if (!found || searched === null) return null;
  const skipped = Object.values(fieldsOf(fields?.skipped) ?? {}).slice(0, SKIPS_MAX);
  return {
    files: { items: byFile(found.items), more: found.more },
    found: found.items.length + found.more,
    searched,
    skipped: skipped.reduce<number>((sum, count) => sum + (countOf(count) ?? 0), 0),
    cut: lineOf(fields?.cut) ?? "",
  };
}

function matchOf(value: unknown): Match | null {
  const fields = fieldsOf(value);
  const [path, at, text] = [pathOf(fields?.path), countOf(fields?.line), lineText(fields?.text)];
  const before = keptOrNone(fields?.before, lineText);
  const after = keptOrNone(fields?.after, lineText);
  if (!path || at === null || text === null || !before || !after) return null;
  const around = (items: string[], first: number) =>
    items.map((one, index) => ({ at: first + index, text: one, isAround: true }));
  return {
    path,
    lines: [
      ...around(before.items, Math.max(1, at - before.items.length)),
      { at, text },
      ...around(after.items, at + 1),
    ],
  };
}

/** One line of a file as it stands there: its spaces are a part of it. */
function lineText(value: unknown): string | null {
  return blockOf(value, 2_000)?.replaceAll("\n", "⟦U+000A⟧") ?? null;
}

/** Matches of the same file together; lines that stand around several of them once. */
function byFile(matches: readonly Match[]): Match[] {
  const files = new Map<string, Map<number, NumberedLine>>();
  for (const { path, lines } of matches) {
    const known = files.get(path) ?? new Map<number, NumberedLine>();
    files.set(path, known);
    for (const line of lines) if (!line.isAround || !known.has(line.at)) known.set(line.at, line);
  }
  return [...files].map(([path, lines]) => ({
    path,
    lines: [...lines.values()].sort((a, b) => a.at - b.at),
  }));
}

export function FileMatchesView({ model }: { model: FileMatches }) {
  const { shown, rest } = useBounded(model.files, 20);
  return (
    <div className="flex flex-col gap-2">
      <Remark>
        {model.found === 0 ? "Nothing found" : counted(model.found, "match", "matches")} in{" "}
        {counted(model.searched, "file")}
        {model.skipped > 0 && `; ${model.skipped.toLocaleString("en")} skipped`}
        {model.cut && `; ${model.cut}`}
      </Remark>
      {shown.map((file) => (
        <div key={file.path} className="flex flex-col gap-0.5">
          <Path path={file.path} />
          <NumberedLines label={`What was found in ${file.path}`} lines={file.lines} />
        </div>
      ))}
      {rest}
    </div>
  );
}

import { bytes } from "@/ui";
import { Remark } from "./bounded";
import { NumberedLines } from "./numbered-lines";
import { blockOf, countOf, fieldsOf, lineOf, linesOf, pathOf } from "./read";

export type FileRead =
  | { kind: "binary"; path: string; seems: string; bytes: number | null }
  | {
      kind: "text";
      path: string;
      content: string;
      from: number;
      /** How many lines the file has, where all of it was read. */
      lines: number | null;
      about: string;
      note: string;
      next: number | null;
    };

/** `files.read`. */
export function parseFileRead(result: unknown): FileRead | null {
  const fields = fieldsOf(result);
  const path = pathOf(fields?.path);
  if (!fields || !path) return null;
  const size = countOf(fields.bytes);
  if (fields.kind === "binary")
    return { kind: "binary", path, seems: lineOf(fields.seems, 80) ?? "", bytes: size };
  const [content, from] = [blockOf(fields.content), countOf(fields.from)];
  if (fields.kind !== "text" || content === null || from === null || from < 1) return null;
  const about = [lineOf(fields.encoding, 20), lineOf(fields.line_ends, 20), size === null ? "" : bytes(size)];
  return {
    kind: "text",
    path,
    content,
    from,
    lines: countOf(fields.lines),
    about: about.filter(Boolean).join(", "),
    note: lineOf(fields.note) ?? "",
    next: countOf(fields.next),
  };
}

export function FileReadView({ model }: { model: FileRead }) {
  if (model.kind === "binary")
    return (
      <div>
        <Path path={model.path} />
        <Remark>
          No text{model.seems && `; it seems to be ${model.seems}`}
          {model.bytes !== null && `; ${bytes(model.bytes)}`}
        </Remark>
      </div>
    );
  const { from, lines, path } = model;
  const texts = linesOf(model.content);
  const last = from + texts.length - 1;
  const range =
    texts.length === 0
      ? "no lines"
      : `lines ${from.toLocaleString("en")} to ${last.toLocaleString("en")}${lines === null ? "" : ` of ${lines.toLocaleString("en")}`}`;
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Path path={path} />
        <span className="text-muted">{range}</span>
        {model.about && <span className="text-xs text-muted">{model.about}</span>}
      </p>
      {texts.length > 0 && (
        <NumberedLines
          label={`Text of ${path}, ${range}`}
          lines={texts.map((text, at) => ({ at: from + at, text }))}
        />
      )}
      {model.note && <Remark>{model.note}</Remark>}
      {model.next !== null && (
        <Remark>What follows from line {model.next.toLocaleString("en")} on did not fit.</Remark>
      )}
    </div>
  );
}

/** The path of a file. */
export function Path({ path }: { path: string }) {
  return (
    <span dir="auto" className="font-mono break-all whitespace-pre-wrap text-ink">
      {path}
    </span>
  );
}

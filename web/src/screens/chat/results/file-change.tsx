import { bytes, Time } from "@/ui";
import { type Column, Remark, Table } from "./bounded";
import { ChangePreview, DiffView } from "./diff";
import { type Diff, parseDiff } from "./diff-lines";
import { Path } from "./file-text";
import {
  blockOf,
  counted,
  countOf,
  type Fields,
  fieldsOf,
  type Kept,
  keptOf,
  lineOf,
  momentOf,
  pathOf,
} from "./read";

interface Change {
  id: string;
  at: string | null;
  action: string;
  path: string;
  size: number | null;
}

export type FileChange =
  /** What it would do; nothing was done. */
  | { kind: "dry"; preview: string }
  | { kind: "done"; did: string; path: string; to: string; about: string; undo: string; diff: Diff | null }
  | { kind: "changes"; changes: Kept<Change> };

type Done = Extract<FileChange, { kind: "done" }>;

function dryOf(fields: Fields | null): FileChange | null {
  const preview = fields?.dry_run === true ? blockOf(fields.preview) : null;
  return preview === null ? null : { kind: "dry", preview };
}

/** A change by what it did to the file of a field. */
function doneOf(fields: Fields | null, did: string, pathField = "path"): Done | null {
  const path = pathOf(fields?.[pathField]);
  if (!fields || !path) return null;
  const undo = lineOf(fields.undo, 64) ?? "";
  return { kind: "done", did, path, to: "", about: sizeOf(fields), undo, diff: null };
}

function sizeOf(fields: Fields): string {
  const [lines, size] = [countOf(fields.lines), countOf(fields.bytes)];
  return [lines === null ? "" : counted(lines, "line"), size === null ? "" : bytes(size)]
    .filter(Boolean)
    .join(", ");
}

/** `files.write`. */
export function parseFileWrite(result: unknown): FileChange | null {
  const fields = fieldsOf(result);
  const isKnown = typeof fields?.created === "boolean" && typeof fields.unchanged === "boolean";
  const did = fields?.created ? "Created" : fields?.unchanged ? "Nothing to change in" : "Wrote";
  return dryOf(fields) ?? (isKnown ? doneOf(fields, did) : null);
}

/** `files.edit`. */
export function parseFileEdit(result: unknown): FileChange | null {
  const fields = fieldsOf(result);
  const [done, diff] = [doneOf(fields, "Changed"), parseDiff(fields?.diff)];
  return dryOf(fields) ?? (done && diff && { ...done, diff });
}

/** `files.move`. */
export function parseFileMove(result: unknown): FileChange | null {
  const fields = fieldsOf(result);
  const [done, to] = [doneOf(fields, "Moved", "from"), pathOf(fields?.to)];
  return dryOf(fields) ?? (done && to ? { ...done, to } : null);
}

/** `files.remove`. */
export function parseFileRemove(result: unknown): FileChange | null {
  const fields = fieldsOf(result);
  const [kind, entries] = [lineOf(fields?.kind, 20), countOf(fields?.entries)];
  const done = kind === null ? null : doneOf(fields, `Removed the ${kind}`);
  const inside =
    kind === "folder" && entries !== null ? counted(Math.max(0, entries - 1), "entry", "entries") : "";
  return dryOf(fields) ?? (done && { ...done, about: [inside, done.about].filter(Boolean).join(", ") });
}

/** `files.undo`: what can be taken back, or what was. */
export function parseFileUndo(result: unknown): FileChange | null {
  const fields = fieldsOf(result);
  const changes = keptOf(fields?.changes, changeOf);
  if (changes) {
    changes.more += countOf(fields?.more) ?? 0;
    return { kind: "changes", changes };
  }
  const isUndone = typeof fields?.undone === "string";
  return dryOf(fields) ?? (isUndone ? doneOf(fields, "Took back the change of") : null);
}

function changeOf(value: unknown): Change | null {
  const fields = fieldsOf(value);
  const [id, action] = [lineOf(fields?.id, 64), lineOf(fields?.action, 20)];
  const [path, to] = [pathOf(fields?.path), pathOf(fields?.to)];
  if (!id || !action || !path) return null;
  const size = countOf(fields?.bytes);
  return { id, at: momentOf(fields?.at), action, path: to ? `${path} → ${to}` : path, size };
}

const CHANGES: Column<Change>[] = [
  { name: "File", of: ({ path }) => <Path path={path} /> },
  { name: "Change", of: ({ action }) => action },
  { name: "When", of: ({ at }) => at && <Time at={at} className="whitespace-nowrap" /> },
  { name: "Kept", of: ({ size }) => (size ? bytes(size) : ""), isNumber: true },
  { name: "To take it back", of: ({ id }) => <code className="font-mono text-xs">{id}</code> },
];

export function FileChangeView({ model }: { model: FileChange }) {
  if (model.kind === "changes")
    return model.changes.items.length === 0 ? (
      <Remark>No change can be taken back.</Remark>
    ) : (
      <Table label="Changes that can be taken back" columns={CHANGES} rows={model.changes} />
    );
  if (model.kind === "dry")
    return (
      <div className="flex flex-col gap-1">
        <Remark>Nothing was changed; this is what it would do.</Remark>
        <ChangePreview label="What it would change" text={model.preview} />
      </div>
    );
  return (
    <div className="flex flex-col gap-1">
      <p className="break-words">
        {model.did} <Path path={model.path} />
        {model.to && (
          <>
            {" "}
            to <Path path={model.to} />
          </>
        )}
        {model.about && <span className="text-muted"> · {model.about}</span>}
      </p>
      {model.diff && <DiffView diff={model.diff} label="What changed" />}
      {model.undo && (
        <Remark>
          To take it back within 7 days: files.undo with{" "}
          <code className="font-mono break-all">{model.undo}</code>
        </Remark>
      )}
    </div>
  );
}

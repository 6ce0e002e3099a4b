import { bytes, Time } from "@/ui";
import { type Column, Remark, Table } from "./bounded";
import { Path } from "./file-text";
import { counted, countOf, fieldsOf, type Kept, keptOf, lineOf, momentOf, pathOf } from "./read";

interface Entry {
  path: string;
  kind: string;
  size: number | null;
  changed: string | null;
}

export type FileList =
  | { kind: "folders"; folders: Kept<{ name: string; access: string }> }
  | {
      kind: "entries";
      path: string;
      entries: Kept<Entry>;
      remarks: string[];
    };

/** `files.list`, of a folder or of the folders that there are. */
export function parseFileList(result: unknown): FileList | null {
  const fields = fieldsOf(result);
  if (!fields) return null;
  const folders = keptOf(fields.folders, folderOf);
  if (folders) return { kind: "folders", folders };
  const [path, entries] = [pathOf(fields.path), keptOf(fields.entries, entryOf)];
  if (!path || !entries) return null;
  const passed = countOf(fields.passed_over) ?? 0;
  const unreadable = countOf(fields.unreadable) ?? 0;
  const remarks = [
    fields.cut === true && "There is more in it than was listed.",
    passed > 0 && `${counted(passed, "entry", "entries")} passed over, as hidden or ignored.`,
    unreadable > 0 && `${counted(unreadable, "entry", "entries")} could not be read.`,
  ];
  return { kind: "entries", path, entries, remarks: remarks.flatMap((remark) => remark || []) };
}

function folderOf(value: unknown) {
  const fields = fieldsOf(value);
  const name = lineOf(fields?.name);
  return name ? { name, access: lineOf(fields?.access, 20) ?? "" } : null;
}

function entryOf(value: unknown): Entry | null {
  const fields = fieldsOf(value);
  const [path, kind] = [pathOf(fields?.path), lineOf(fields?.kind, 20)];
  if (!path || kind === null) return null;
  return { path, kind, size: countOf(fields?.bytes), changed: momentOf(fields?.changed) };
}

const ACCESS: Record<string, string> = { read: "can be read", write: "can be read and changed" };
const FOLDERS: Column<{ name: string; access: string }>[] = [
  { name: "Folder", of: ({ name }) => <Path path={name} /> },
  { name: "Access", of: ({ access }) => (Object.hasOwn(ACCESS, access) ? ACCESS[access] : access) },
];
const ENTRIES: Column<Entry>[] = [
  { name: "Name", of: ({ path, kind }) => <Path path={kind === "folder" ? `${path}/` : path} /> },
  { name: "Kind", of: ({ kind }) => kind },
  { name: "Size", of: ({ size }) => (size === null ? "" : bytes(size)), isNumber: true },
  { name: "Changed", of: ({ changed }) => changed && <Time at={changed} className="whitespace-nowrap" /> },
];

export function FileListView({ model }: { model: FileList }) {
  if (model.kind === "folders")
    return <Table label="Folders of the agent" columns={FOLDERS} rows={model.folders} />;
  return (
    <div className="flex flex-col gap-1">
      <p>
        <Path path={model.path} />
      </p>
      {model.entries.items.length === 0 ? (
        <Remark>Nothing is in it, or nothing that was asked for.</Remark>
      ) : (
        <Table label={`What is in ${model.path}`} columns={ENTRIES} rows={model.entries} first={40} />
      )}
      {model.remarks.map((remark) => (
        <Remark key={remark}>{remark}</Remark>
      ))}
    </div>
  );
}

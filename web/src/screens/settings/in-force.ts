// What is in force, as people look for it and as they change it.
import type { ConfigEntry } from "@/api/generated";

export interface Section {
  name: string;
  entries: ConfigEntry[];
}

/** The entries that are looked for, by section. Every word must stand in the key, the value, what it is for or where it comes from. */
export function sectionsOf(entries: readonly ConfigEntry[], q: string, onlySet: boolean): Section[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = new Map<string, ConfigEntry[]>();
  for (const entry of entries) {
    if (onlySet && entry.source.kind === "default") continue;
    const text =
      `${entry.key} ${entry.value} ${entry.about} ${sourceOf(entry)} ${entry.variable ?? ""}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const name = entry.key.slice(0, Math.max(0, entry.key.lastIndexOf(".")));
    sections.set(name, [...(sections.get(name) ?? []), entry]);
  }
  return [...sections].map(([name, all]) => ({ name, entries: all }));
}

/** Where a value comes from, in a word or two. */
export function sourceOf({ source }: ConfigEntry): string {
  switch (source.kind) {
    case "file":
      return `file, line ${source.line ?? "?"}`;
    case "environment":
      return source.name ?? "environment";
    case "flag":
      return source.name ?? "flag";
    default:
      return "default";
  }
}

/** How it is changed, in a sentence. */
export function waysOf({ source, variable, command }: ConfigEntry, file: string): string {
  switch (source.kind) {
    case "environment":
      return `The variable ${source.name} wins over the file: change or unset it where the keeper is started.`;
    case "flag":
      return `The flag ${source.name} of abide up wins over all else: start without it.`;
    case "file":
      return command
        ? `It stands in line ${source.line} of ${file}: change it there, or with the command.`
        : `It stands in line ${source.line} of ${file}, where it is changed.`;
    default:
      return command
        ? `Nobody has set it. The command writes it into ${file}; ${variable} would win over that.`
        : `Nobody has set it. It is set in ${file}, in its table.`;
  }
}

// What is typed into the form of a server's question, and the values that it becomes. Nothing of it is kept or logged here.
import type { FormFieldView, Json } from "@/api/generated";

/** By the names of fields: what is typed, a flag, or what is chosen. */
export type Typed = Record<string, string | boolean | string[]>;

/** A form as it is first shown, with what the server suggests. */
export function firstTyped(fields: readonly FormFieldView[]): Typed {
  return Object.fromEntries(fields.map((field) => [field.name, firstOf(field)]));
}

function firstOf({ kind, default: suggested }: FormFieldView): string | boolean | string[] {
  if (kind === "flag") return suggested === true;
  if (kind === "choices") return Array.isArray(suggested) ? suggested.map(String) : [];
  return suggested === null || suggested === undefined ? "" : String(suggested);
}

/** The values for the keeper. What is left empty is left out; a number that is none stays a text, and the keeper says so. */
export function valuesOf(fields: readonly FormFieldView[], typed: Typed): Record<string, Json> {
  const values: Record<string, Json> = {};
  for (const field of fields) {
    const given = typed[field.name];
    if (given === undefined || given === "") continue;
    if (Array.isArray(given) && given.length === 0 && !field.required) continue;
    const isNumber = (field.kind === "number" || field.kind === "integer") && typeof given === "string";
    const number = isNumber ? Number(given) : Number.NaN;
    values[field.name] = Number.isFinite(number) ? number : given;
  }
  return values;
}

/** An address that may be a link, taken apart; null for anything else than a web address. */
export function webAddress(url: string): { host: string } | null {
  const read = URL.parse(url);
  return read && (read.protocol === "https:" || read.protocol === "http:") ? { host: read.host } : null;
}

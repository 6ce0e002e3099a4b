import { text } from "@/app/search";

/** `?as=` speaks as somebody; `?command=` stands in the field and is never run by itself. */
export interface StdoutSearch {
  as?: string | undefined;
  command?: string | undefined;
}

export function stdoutSearch(search: Record<string, unknown>): StdoutSearch {
  return { as: text(search.as, 65), command: text(search.command, 2_000) };
}

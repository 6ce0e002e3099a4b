import { oneOf, text } from "@/app/search";

export const SHOWN = ["all", "set"] as const;

/** What stands in the address of this screen: `?q=` looks for a key, `?shown=set` leaves out what nobody set. */
export interface SettingsSearch {
  q?: string | undefined;
  shown?: (typeof SHOWN)[number] | undefined;
}

export function settingsSearch(search: Record<string, unknown>): SettingsSearch {
  return { q: text(search.q, 100), shown: oneOf(search.shown, SHOWN) };
}

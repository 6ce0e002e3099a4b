/** What stands in the address of this screen. */
export type WatchdogSearch = Record<never, never>;

export function watchdogSearch(_search: Record<string, unknown>): WatchdogSearch {
  return {};
}

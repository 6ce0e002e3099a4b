/** What stands in the address of this screen. */
export type SettingsSearch = Record<never, never>;

export function settingsSearch(_search: Record<string, unknown>): SettingsSearch {
  return {};
}

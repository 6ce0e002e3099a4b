// Which colours: what the system says, or what a person chose. High contrast is asked for by the system with prefers-contrast.
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "dark", "light", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_NAMES: Record<Theme, string> = {
  system: "As the system",
  dark: "Dark",
  light: "Light",
  contrast: "High contrast",
};

const KEY = "abide.theme";
const listeners = new Set<() => void>();
let chosen: Theme = read();

function read(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? "system";
}

const matches = (query: string) => typeof matchMedia === "function" && matchMedia(query).matches;

function apply(): void {
  const system = matches("(prefers-contrast: more)")
    ? "contrast"
    : matches("(prefers-color-scheme: light)")
      ? "light"
      : "dark";
  document.documentElement.dataset.theme = chosen === "system" ? system : chosen;
}

/** Puts the theme on and follows the system. */
export function startTheme(): void {
  apply();
  for (const query of ["(prefers-color-scheme: light)", "(prefers-contrast: more)"])
    matchMedia(query).addEventListener("change", apply);
}

export function setTheme(theme: Theme): void {
  chosen = theme;
  localStorage.setItem(KEY, theme);
  apply();
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => chosen,
  );
}

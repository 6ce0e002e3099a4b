import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const css = readFileSync(join(process.cwd(), "src/style.css"), "utf8");

function colours(theme: string): Record<string, string> {
  const block = css.slice(css.indexOf(`[data-theme="${theme}"] {`)).split("}")[0] ?? "";
  return Object.fromEntries(
    [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
  );
}

function luminance(colour: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = parts.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

describe.each(["dark", "light", "contrast"])("the %s theme", (theme) => {
  const all = colours(theme);
  const at = (name: string) => all[name] ?? "#000000";
  const grounds = ["bg", "surface", "raised", "field"];
  const texts = ["ink", "muted", "accent", "life", "wait", "fail", "thought"];
  const pairs = [
    ...grounds.flatMap((ground) => texts.map((text) => [text, ground] as const)),
    ...["life", "wait", "fail", "thought"].flatMap((tone) =>
      [tone, "ink", "muted"].map((text) => [text, `${tone}-soft`] as const),
    ),
    ["on-accent", "accent"] as const,
    ["on-wait", "wait"] as const,
  ];
  it.each(pairs)("has %s readable on %s", (text, ground) => {
    expect(all[text], text).toBeDefined();
    expect(ratio(at(text), at(ground))).toBeGreaterThanOrEqual(theme === "contrast" ? 7 : 4.5);
  });
  it.each(grounds)("shows edges of fields and focus on %s", (ground) => {
    expect(ratio(at("line-strong"), at(ground))).toBeGreaterThanOrEqual(3);
    expect(ratio(at("focus"), at(ground))).toBeGreaterThanOrEqual(3);
  });
});

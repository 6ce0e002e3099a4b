// Facts as they are shown and written.
import type { FactView } from "@/api/generated";

export const CATEGORIES = ["user", "project", "world"] as const;

/** Bounds of the keeper. */
export const TAGS_MAX = 16;
export const CONTENT_CHARS_MAX = 2_000;

export function isShown(fact: FactView, category: string | undefined, tag: string | undefined): boolean {
  return (!category || fact.category === category) && (!tag || fact.tags.includes(tag));
}

/** `a, b b,, a` → `a`, `b b`. */
export function tagsOf(text: string): string[] {
  const tags = text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  return [...new Set(tags)];
}

/** Whose word a fact is. */
export function trustOf(fact: FactView): { word: string; tone: "life" | "wait"; why: string } {
  return fact.trusted
    ? { word: "from people", tone: "life", why: "it stems from people alone" }
    : {
        word: "unconfirmed",
        tone: "wait",
        why: "it was learnt beside text that no person vouches for, or it comes from the keeper itself",
      };
}

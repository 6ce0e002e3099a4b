import type { ReactNode } from "react";
import { cx } from "./cx";

export type BadgeTone = "plain" | "life" | "wait" | "fail" | "thought";

const TONES: Record<BadgeTone, string> = {
  plain: "text-muted border-line bg-raised",
  life: "text-life border-life/50 bg-life-soft",
  wait: "text-wait border-wait/50 bg-wait-soft",
  fail: "text-fail border-fail/50 bg-fail-soft",
  thought: "text-thought border-thought/50 bg-thought-soft",
};

/** A word about something. Its colour says nothing that its text does not. */
export function Badge({
  tone = "plain",
  children,
  title,
}: {
  tone?: BadgeTone;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex items-center gap-1 rounded-full border px-2 py-px text-xs leading-5 whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

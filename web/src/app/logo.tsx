import { cx } from "@/ui";

/** A hearth seen from above: a ring that is closed, and an ember that is lit while the keeper is followed. */
export function Logo({ isLive }: { isLive: boolean }) {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-8">
      <circle
        cx="16"
        cy="16"
        r="13"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        className="text-line-strong"
      />
      <path
        d="M16 3a13 13 0 0 1 13 13"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
        className="text-life"
      />
      <circle
        cx="16"
        cy="16"
        r="5"
        fill="currentColor"
        className={cx(isLive ? "ember text-life" : "text-line-strong")}
      />
    </svg>
  );
}

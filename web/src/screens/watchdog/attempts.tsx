import type { AttemptOutcome, ServiceAttempt } from "@/api/generated";
import { Badge, type BadgeTone, duration, visibleLine } from "@/ui";

const TONES: Record<AttemptOutcome, BadgeTone> = { sent: "life", confirmed: "life", failed: "fail" };

/** What each service made of what it was to tell. */
export function Attempts({ attempts, label }: { attempts: readonly ServiceAttempt[]; label: string }) {
  if (attempts.length === 0) return null;
  return (
    <ul aria-label={label} className="mt-2 flex flex-col gap-1 text-[13px]">
      {attempts.map((one) => (
        <li key={one.service} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className="font-medium break-words text-ink">{one.service}</span>
          <Badge tone={TONES[one.outcome] ?? "plain"}>{one.outcome}</Badge>
          <span dir="auto" className="min-w-0 break-words text-muted">
            {visibleLine([one.words, duration(one.took_ms)].filter(Boolean).join(", "))}
          </span>
        </li>
      ))}
    </ul>
  );
}

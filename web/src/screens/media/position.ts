// Where a track is: it runs here between two looks at the keeper, and never past its end.
import type { MediaStatusView } from "@/api/generated";

/** Seconds into the track at `now`, of a status that was read at `readAt` (both in milliseconds). */
export function positionAt(
  status: Pick<MediaStatusView, "state" | "position_s" | "track">,
  readAt: number,
  now: number,
): number {
  const passed = status.state === "playing" ? Math.max(0, now - readAt) / 1000 : 0;
  const at = Math.max(0, status.position_s + passed);
  const length = status.track?.duration_s;
  return length ? Math.min(at, length) : at;
}

/** `3:07`, `1:02:03`; a dash where the length is not known. */
export function clock(seconds: number | null | undefined): string {
  if (seconds == null || !Number.isFinite(seconds)) return "–";
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** As it is read aloud: `3 minutes 7 seconds`. */
export function spokenTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 3600), "hour"],
    [Math.floor(whole / 60) % 60, "minute"],
    [whole % 60, "second"],
  ];
  const said = parts.filter(([n]) => n > 0).map(([n, unit]) => `${n} ${unit}${n === 1 ? "" : "s"}`);
  return said.join(" ") || "0 seconds";
}

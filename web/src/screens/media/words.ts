// Music in words. Titles and names come out of files and other programs, so what is not seen in them is made visible.
import type { LibraryScanView, MediaRepeat, MediaStatusView, MediaTrackView } from "@/api/generated";
import { visibleLine } from "@/ui/visible";

type Named = Pick<MediaTrackView, "title" | "artist">;

export const titleOf = (track: Pick<MediaTrackView, "title">) => visibleLine(track.title) || "no title";
export const artistOf = (track: Pick<MediaTrackView, "artist">) =>
  visibleLine(track.artist) || "unknown artist";

/** `Jóga by Björk`. */
export function trackName(track: Named): string {
  return track.artist ? `${titleOf(track)} by ${artistOf(track)}` : titleOf(track);
}

/** `Björk · Homogenic`. */
export function underTitle(track: Pick<MediaTrackView, "artist" | "album">): string {
  return [artistOf(track), track.album ? visibleLine(track.album) : ""].filter(Boolean).join(" · ");
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export const REPEATS: readonly MediaRepeat[] = ["off", "all", "one"];

export const REPEAT_WORDS: Record<MediaRepeat, string> = {
  off: "Repeat: off",
  all: "Repeat: the whole queue",
  one: "Repeat: this track",
};

export function nextRepeat(mode: MediaRepeat): MediaRepeat {
  return REPEATS[(REPEATS.indexOf(mode) + 1) % REPEATS.length] ?? "off";
}

/** What the player does, in one line; `isHeard` is false while the keeper does not answer. */
export function stateLine(status: Pick<MediaStatusView, "state" | "track" | "why">, isHeard = true): string {
  if (!isHeard) return "The keeper does not answer; this may be old.";
  if (status.why) return visibleLine(status.why);
  if (status.state === "playing") return "Playing";
  if (status.state === "paused") return "Paused";
  return status.track ? "Stopped" : "Nothing is played";
}

/** What the scan is at, in one line. */
export function scanLine(scan: LibraryScanView): string {
  const missing = scan.missing > 0 ? `, ${countOf(scan.missing, "file")} missing` : "";
  const known = `${countOf(scan.files, "file")}${missing}`;
  if (scan.state === "off") return visibleLine(scan.why ?? "no music folders are configured");
  if (scan.state === "failed")
    return `The last scan failed: ${visibleLine(scan.why ?? "no reason was given")}`;
  if (scan.state === "scanning") {
    return scan.to_read > 0
      ? `Scanning: ${scan.read.toLocaleString("en")} of ${countOf(scan.to_read, "file")} read; ${known} known`
      : `Scanning the folders; ${known} known`;
  }
  return known;
}

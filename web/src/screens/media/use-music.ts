// The status of the music for what draws it: what plays, where it is now, and whether the keeper is heard.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { MediaStatusView } from "@/api/generated";
import { mediaQuery } from "@/api/queries";
import { useConnection } from "@/live/store";
import { positionAt } from "./position";

/** How often the place in a track is drawn anew. */
const TICK_MS = 500;

export interface Music {
  status: MediaStatusView;
  /** When it was read, in milliseconds. */
  readAt: number;
  /** Whether the keeper answers; where not, what is shown may be old. */
  isHeard: boolean;
}

export function useMusic(): Music | null {
  const { data, dataUpdatedAt } = useQuery(mediaQuery);
  const { phase } = useConnection();
  if (!data) return null;
  return { status: data, readAt: dataUpdatedAt, isHeard: phase !== "offline" && phase !== "ended" };
}

/** Seconds into the track now. It stands where the keeper is not heard: its player ended with it. */
export function usePosition({ status, readAt, isHeard }: Music): number {
  const runs = status.state === "playing" && isHeard;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!runs) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [runs]);
  return positionAt(status, readAt, now);
}

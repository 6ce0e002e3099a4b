// What the system is told about the music (Media Session API), and what its keys ask for. The sound comes out of the keeper's own
// player: where a browser gives media keys only to pages that sound, they reach the keeper over the session bus instead.
import { useEffect, useRef } from "react";
import type { MediaControlBody } from "@/api/generated";
import type { Control } from "./acts";
import { positionAt } from "./position";
import { coverPath } from "./queries";
import type { Music } from "./use-music";
import { artistOf, titleOf } from "./words";

type Session = Pick<MediaSession, "metadata" | "playbackState" | "setActionHandler" | "setPositionState">;

/** The player's order for what the system asks; null for what it does not do. */
export function orderOf(details: MediaSessionActionDetails): MediaControlBody | null {
  switch (details.action) {
    case "play":
      return { action: "play" };
    case "pause":
      return { action: "pause" };
    case "nexttrack":
      return { action: "next" };
    case "previoustrack":
      return { action: "previous" };
    case "stop":
      return { action: "stop" };
    case "seekto":
      return details.seekTime === undefined ? null : { action: "seek", position_s: details.seekTime };
    default:
      return null;
  }
}

const ACTIONS: readonly MediaSessionAction[] = [
  "play",
  "pause",
  "nexttrack",
  "previoustrack",
  "stop",
  "seekto",
];

/** Hands what the system asks to `act`. Gives how that ends. An action that a browser does not know is left out. */
export function answerSystem(session: Session, act: (body: MediaControlBody) => void): () => void {
  const set = (action: MediaSessionAction, handler: MediaSessionActionHandler | null) => {
    try {
      session.setActionHandler(action, handler);
    } catch {
      // It does not know this action.
    }
  };
  for (const action of ACTIONS) {
    set(action, (details) => {
      const body = orderOf(details);
      if (body) act(body);
    });
  }
  return () => {
    for (const action of ACTIONS) set(action, null);
  };
}

/** What the system shows of a track. */
export function metadataOf({ status }: Music, origin: string): MediaMetadataInit | null {
  if (!status.track) return null;
  const { track } = status;
  return {
    title: titleOf(track),
    artist: artistOf(track),
    album: track.album ?? "",
    artwork: track.cover ? [{ src: origin + coverPath(track.cover) }] : [],
  };
}

/** Tells the system where the track is; a length that is not known is not told. */
export function tellPosition(session: Session, { status, readAt }: Music, now: number): void {
  const duration = status.track?.duration_s;
  if (!duration) session.setPositionState();
  else session.setPositionState({ duration, playbackRate: 1, position: positionAt(status, readAt, now) });
}

export function useMediaSession(music: Music, act: Control): void {
  const session = navigator.mediaSession as Session | undefined;
  const newest = useRef(music);
  newest.current = music;
  useEffect(() => session && answerSystem(session, (body) => void act(body)), [act]);
  const about = JSON.stringify(metadataOf(music, location.origin));
  useEffect(() => {
    if (!session || typeof MediaMetadata === "undefined") return;
    const init = JSON.parse(about) as MediaMetadataInit | null;
    session.metadata = init && new MediaMetadata(init);
  }, [about]);
  const { state } = music.status;
  const { readAt } = music;
  // biome-ignore lint/correctness/useExhaustiveDependencies: told anew when it was read anew
  useEffect(() => {
    if (!session) return;
    session.playbackState = state === "playing" ? "playing" : state === "paused" ? "paused" : "none";
    tellPosition(session, newest.current, Date.now());
  }, [state, readAt]);
  useEffect(
    () => () => {
      if (session) session.metadata = null;
    },
    [],
  );
}

// The controls of the player: those of the bar and of the opened player are the same.
import {
  Pause,
  Play,
  Repeat,
  Repeat1,
  Shuffle,
  SkipBack,
  SkipForward,
  Volume1,
  Volume2,
  VolumeX,
} from "lucide-react";
import { useState } from "react";
import type { MediaStatusView } from "@/api/generated";
import { cx, IconButton } from "@/ui";
import type { Control } from "./acts";
import { clock, spokenTime } from "./position";
import { Slider } from "./slider";
import { type Music, usePosition } from "./use-music";
import { nextRepeat, REPEAT_WORDS } from "./words";

const ICON = "size-[18px]";

/** Whether the player can be steered now. */
export function canSteer({ status, isHeard }: Music): boolean {
  return isHeard && status.state !== "unavailable";
}

/** What the one button in the middle does now. */
export function playOrPause(
  status: Pick<MediaStatusView, "state">,
): { action: "play" } | { action: "pause" } {
  return status.state === "playing" ? { action: "pause" } : { action: "play" };
}

export function PlayButton({ music, act }: { music: Music; act: Control }) {
  const isPlaying = music.status.state === "playing";
  const isEmpty = music.status.queue_total === 0;
  return (
    <IconButton
      tone="plain"
      label={isPlaying ? "Pause" : "Play"}
      icon={isPlaying ? <Pause aria-hidden className={ICON} /> : <Play aria-hidden className={ICON} />}
      disabled={!canSteer(music) || (!isPlaying && isEmpty)}
      onClick={() => void act(playOrPause(music.status))}
    />
  );
}

export function StepButton({ music, act, to }: { music: Music; act: Control; to: "next" | "previous" }) {
  const Icon = to === "next" ? SkipForward : SkipBack;
  return (
    <IconButton
      label={to === "next" ? "Next track" : "Previous track"}
      icon={<Icon aria-hidden className={ICON} />}
      disabled={!canSteer(music) || music.status.queue_total === 0}
      onClick={() => void act({ action: to })}
    />
  );
}

/** The place in the track, to look at and to change. */
export function Seek({ music, act }: { music: Music; act: Control }) {
  const at = usePosition(music);
  const [draft, setDraft] = useState<number | null>(null);
  const length = music.status.track?.duration_s ?? null;
  const say = (value: number) => `${spokenTime(value)}${length ? ` of ${spokenTime(length)}` : ""}`;
  return (
    <div className="flex min-w-0 flex-1 items-center gap-2 text-xs text-muted tabular-nums">
      <span className="w-11 text-right">{clock(draft ?? at)}</span>
      <Slider
        label="Place in the track"
        className="flex-1"
        value={Math.floor(at)}
        max={Math.max(1, Math.ceil(length ?? at))}
        say={say}
        disabled={!canSteer(music) || !length}
        onDraft={setDraft}
        onChange={(position_s) => act({ action: "seek", position_s: Math.min(position_s, length ?? 0) })}
      />
      <span className="w-11">{clock(length)}</span>
    </div>
  );
}

/** How far the track is, as a line that cannot be touched. */
export function ProgressLine({ music }: { music: Music }) {
  const at = usePosition(music);
  const length = music.status.track?.duration_s;
  if (!length) return null;
  const width = `${Math.min(100, (at / length) * 100)}%`;
  return <span aria-hidden className="absolute top-0 left-0 h-0.5 bg-accent rail:hidden" style={{ width }} />;
}

export function VolumeControl({ music, act, className }: { music: Music; act: Control; className?: string }) {
  const { volume } = music.status;
  const Icon = volume === 0 ? VolumeX : volume < 50 ? Volume1 : Volume2;
  return (
    <div className={cx("flex min-w-0 items-center gap-1.5 text-muted", className)}>
      <Icon aria-hidden className="size-4 shrink-0" />
      <Slider
        label="Volume"
        className="flex-1"
        value={volume}
        max={100}
        step={5}
        say={(value) => `${value} %`}
        disabled={!canSteer(music)}
        onChange={(value) => act({ action: "volume", volume: value })}
      />
    </div>
  );
}

export function OrderButtons({ music, act }: { music: Music; act: Control }) {
  const { shuffle, repeat } = music.status;
  const RepeatIcon = repeat === "one" ? Repeat1 : Repeat;
  const on = "!border-accent !text-accent";
  return (
    <>
      <IconButton
        label="Shuffle"
        aria-pressed={shuffle}
        className={shuffle ? on : ""}
        icon={<Shuffle aria-hidden className={ICON} />}
        disabled={!canSteer(music)}
        onClick={() => void act({ action: "shuffle", on: !shuffle })}
      />
      <IconButton
        label={REPEAT_WORDS[repeat]}
        className={repeat === "off" ? "" : on}
        icon={<RepeatIcon aria-hidden className={ICON} />}
        disabled={!canSteer(music)}
        onClick={() => void act({ action: "repeat", mode: nextRepeat(repeat) })}
      />
    </>
  );
}

import { Pause, Play, SkipBack, SkipForward } from "lucide-react";
import type { OtherPlayerView } from "@/api/generated";
import { IconButton, visibleLine } from "@/ui";
import type { Control } from "./acts";
import { titleOf, trackName } from "./words";

const STATES = { playing: "playing", paused: "paused", stopped: "stopped", unavailable: "not there" };

/** Players of other programs on the keeper's machine. */
export function OtherPlayers({ players, act }: { players: readonly OtherPlayerView[]; act: Control }) {
  if (players.length === 0) return null;
  return (
    <section aria-label="Other players" className="border-t border-line pt-3">
      <h2 className="text-[13px] font-semibold text-ink">Other players on the keeper's machine</h2>
      <ul aria-label="Other players">
        {players.map((one) => (
          <PlayerRow key={one.id} one={one} act={act} />
        ))}
      </ul>
    </section>
  );
}

function PlayerRow({ one, act }: { one: OtherPlayerView; act: Control }) {
  const name = visibleLine(one.name) || visibleLine(one.id);
  const isPlaying = one.state === "playing";
  const icon = "size-4";
  const player = one.id;
  return (
    <li className="flex items-center gap-1 py-1">
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate text-sm text-ink">
          {name}: {STATES[one.state]}
        </span>
        {one.title && (
          <span dir="auto" className="block truncate text-xs text-muted">
            {trackName({ title: titleOf({ title: one.title }), artist: one.artist })}
          </span>
        )}
      </span>
      <IconButton
        label={`Previous track of ${name}`}
        icon={<SkipBack aria-hidden className={icon} />}
        onClick={() => void act({ action: "previous", player })}
      />
      <IconButton
        label={`${isPlaying ? "Pause" : "Play"} ${name}`}
        icon={isPlaying ? <Pause aria-hidden className={icon} /> : <Play aria-hidden className={icon} />}
        onClick={() => void act({ action: isPlaying ? "pause" : "play", player })}
      />
      <IconButton
        label={`Next track of ${name}`}
        icon={<SkipForward aria-hidden className={icon} />}
        onClick={() => void act({ action: "next", player })}
      />
    </li>
  );
}

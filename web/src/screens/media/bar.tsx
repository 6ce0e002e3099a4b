// The bar of music below every screen. It is loaded where music is configured; what it opens is in `player-panel.tsx`.
import { ListMusic, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { useCommands } from "@/app/commands";
import { IconButton } from "@/ui";
import { useControl } from "./acts";
import { canSteer, PlayButton, ProgressLine, playOrPause, Seek, StepButton, VolumeControl } from "./controls";
import { Cover } from "./cover";
import { PlayerPanel } from "./player-panel";
import { useMediaSession } from "./use-media-session";
import { type Music, useMusic } from "./use-music";
import { stateLine, titleOf, trackName, underTitle } from "./words";

export function MusicBar() {
  const music = useMusic();
  return music && <Bar music={music} />;
}

function Bar({ music }: { music: Music }) {
  const act = useControl();
  const [isOpen, setOpen] = useState(false);
  const { status } = music;
  useMediaSession(music, act);
  useMusicCommands(music, () => setOpen(true));
  useRoomForToasts();
  return (
    <section
      aria-label="Music"
      data-testid="music-bar"
      data-state={status.state}
      className="relative flex min-h-14 min-w-0 items-center gap-2 border-t border-line bg-surface px-2 rail:col-span-full rail:row-start-3 rail:gap-3 rail:px-4 short:hidden short:min-h-10 short:rail:flex"
    >
      <ProgressLine music={music} />
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={`Open the player: ${status.track ? trackName(status.track) : stateLine(status, music.isHeard)}`}
        className="flex min-w-0 flex-1 items-center gap-2.5 rounded-md p-1 text-left hover:bg-raised rail:max-w-64 rail:flex-none lg:w-64 short:p-0"
      >
        <Cover digest={status.track?.cover} className="size-10 short:size-8" />
        <BarWords music={music} />
      </button>
      <div className="flex items-center gap-1">
        <span className="hidden rail:inline">
          <StepButton music={music} act={act} to="previous" />
        </span>
        <PlayButton music={music} act={act} />
        <StepButton music={music} act={act} to="next" />
      </div>
      <div className="hidden min-w-0 flex-1 rail:flex">
        <Seek music={music} act={act} />
      </div>
      <VolumeControl music={music} act={act} className="hidden w-32 lg:flex" />
      <IconButton
        label="Queue"
        icon={<ListMusic aria-hidden className="size-[18px]" />}
        onClick={() => setOpen(true)}
      />
      {isOpen && <PlayerPanel music={music} act={act} onClose={() => setOpen(false)} />}
    </section>
  );
}

/** Title and artist, or why nothing is played. */
function BarWords({ music: { status, isHeard } }: { music: Music }) {
  const trouble = !isHeard || status.why ? stateLine(status, isHeard) : null;
  return (
    <span className="min-w-0">
      <span dir="auto" className="block truncate text-sm text-ink">
        {status.track ? titleOf(status.track) : "Nothing is played"}
      </span>
      {trouble ? (
        <span className="flex items-center gap-1 text-xs text-wait" title={trouble}>
          <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{trouble}</span>
        </span>
      ) : (
        <span dir="auto" className="block truncate text-xs text-muted">
          {status.track ? underTitle(status.track) : "Choose something in the library"}
        </span>
      )}
    </span>
  );
}

/** What the palette and the keys can do with music. Space stays what it is: it presses what has the focus and writes itself. */
function useMusicCommands(music: Music, open: () => void): void {
  const act = useControl();
  const { status } = music;
  const does = canSteer(music);
  const say = status.state === "playing" ? "Pause the music" : "Play the music";
  const step = (body: Parameters<typeof act>[0]) => () => void (does && act(body));
  const group = "Music";
  useCommands([
    {
      id: "music:play",
      label: say,
      group,
      keys: "m p",
      mediaKey: "mediaplaypause",
      run: step(playOrPause(status)),
    },
    {
      id: "music:next",
      label: "Next track",
      group,
      keys: "m n",
      mediaKey: "mediatracknext",
      run: step({ action: "next" }),
    },
    {
      id: "music:previous",
      label: "Previous track",
      group,
      keys: "m b",
      mediaKey: "mediatrackprevious",
      run: step({ action: "previous" }),
    },
    {
      id: "music:stop",
      label: "Stop the music",
      group,
      mediaKey: "mediastop",
      run: step({ action: "stop" }),
    },
    {
      id: "music:shuffle",
      label: status.shuffle ? "Play in order" : "Shuffle the music",
      group,
      run: step({ action: "shuffle", on: !status.shuffle }),
    },
    { id: "music:queue", label: "Open the queue", group, keys: "m q", run: open },
  ]);
}

/** Toasts stand above the bar. */
function useRoomForToasts(): void {
  useEffect(() => {
    document.documentElement.dataset.music = "bar";
    return () => {
      delete document.documentElement.dataset.music;
    };
  }, []);
}

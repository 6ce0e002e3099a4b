// The opened player: at the side of a desk, over the whole height of a phone.
import { Link } from "@tanstack/react-router";
import { Dialog } from "@/ui";
import type { Control } from "./acts";
import { PlayButton, Seek, StepButton, VolumeControl } from "./controls";
import { Cover } from "./cover";
import { QueuePart } from "./queue-part";
import type { Music } from "./use-music";
import { stateLine, titleOf, underTitle } from "./words";

export function PlayerPanel({ music, act, onClose }: { music: Music; act: Control; onClose: () => void }) {
  const { status, isHeard } = music;
  const { track } = status;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Music" side>
      <div className="flex h-full min-h-[30rem] flex-col gap-3 px-4 pb-4">
        <div className="flex items-center gap-3">
          <Cover digest={track?.cover} className="size-20 sm:size-24" />
          <div className="min-w-0">
            <p dir="auto" className="text-base font-semibold break-words text-ink">
              {track ? titleOf(track) : "Nothing is played"}
            </p>
            {track && (
              <p dir="auto" className="text-[13px] break-words text-muted">
                {underTitle(track)}
              </p>
            )}
            <p role="status" className="text-[13px] break-words text-muted">
              {stateLine(status, isHeard)}
            </p>
          </div>
        </div>
        <div className="flex">
          <Seek music={music} act={act} />
        </div>
        <div className="flex items-center justify-center gap-2">
          <StepButton music={music} act={act} to="previous" />
          <PlayButton music={music} act={act} />
          <StepButton music={music} act={act} to="next" />
          <VolumeControl music={music} act={act} className="ml-3 w-36" />
        </div>
        <QueuePart music={music} act={act} className="flex-1" />
        <Link to="/media" search={{}} onClick={onClose} className="text-[13px]">
          Library, albums and playlists
        </Link>
      </div>
    </Dialog>
  );
}

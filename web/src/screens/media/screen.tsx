// Music: the library, its albums, the playlists and the queue. What plays is in the bar below (`bar.tsx`).
import { useQuery } from "@tanstack/react-query";
import { Disc3 } from "lucide-react";
import { mediaQuery, scanQuery } from "@/api/queries";
import { useCommands } from "@/app/commands";
import { EmptyState, LoadError, Loading, Screen, Tabs, visibleLine } from "@/ui";
import { useControl } from "./acts";
import { AlbumsPart } from "./albums-part";
import { canSteer } from "./controls";
import { LibraryPart } from "./library-part";
import { OtherPlayers } from "./other-players";
import { PlaylistsPart } from "./playlists-part";
import { QueuePart } from "./queue-part";
import { ScanCard } from "./scan-card";
import { MEDIA_TABS, type MediaTab } from "./search";
import { useAddress } from "./use-address";
import { type Music, useMusic } from "./use-music";

const NAMES: Record<MediaTab, string> = {
  library: "Library",
  albums: "Albums",
  playlists: "Playlists",
  queue: "Queue",
};
/** How often other programs are asked about while somebody looks. */
const OTHERS_LOOK_MS = 5_000;

export function MediaScreen() {
  const asked = useQuery({ ...mediaQuery, refetchInterval: OTHERS_LOOK_MS });
  const scan = useQuery(scanQuery);
  const music = useMusic();
  const act = useControl();
  const error = asked.error ?? scan.error;
  if (!music || !scan.data) {
    return (
      <Screen title="Music">
        {error ? (
          <LoadError what="The music could not be asked for." error={error} />
        ) : (
          <Loading what="the music" />
        )}
      </Screen>
    );
  }
  if (scan.data.state === "off") {
    return (
      <Screen title="Music">
        <EmptyState title="No music is configured" icon={<Disc3 aria-hidden className="size-7" />}>
          {visibleLine(scan.data.why ?? music.status.why ?? "")}
        </EmptyState>
        <OtherPlayers players={music.status.players} act={act} />
      </Screen>
    );
  }
  return <Parts music={music} />;
}

function Parts({ music }: { music: Music }) {
  const [search, set] = useAddress();
  const act = useControl();
  const part = search.tab ?? "library";
  const does = canSteer(music);
  const open = (tab: MediaTab) => set({ tab }, { push: true });
  useCommands([
    ...MEDIA_TABS.map((tab, at) => ({
      id: `media:${tab}`,
      label: NAMES[tab],
      group: "Music",
      keys: String(at + 1),
      run: () => open(tab),
    })),
    {
      id: "media:search",
      label: "Search the library",
      group: "Music",
      keys: "/",
      run: () => {
        if (part === "library") document.getElementById("music-search")?.focus();
        else open("library");
      },
    },
  ]);
  const contents: Record<MediaTab, React.ReactNode> = {
    library: <LibraryPart act={act} canSteer={does} />,
    albums: <AlbumsPart />,
    playlists: <PlaylistsPart act={act} canSteer={does} />,
    queue: (
      <div className="flex min-h-0 flex-1 flex-col gap-3 py-3">
        <QueuePart music={music} act={act} className="flex-1" />
        <OtherPlayers players={music.status.players} act={act} />
      </div>
    ),
  };
  const tabs = MEDIA_TABS.map((tab) => ({
    id: tab,
    label: NAMES[tab],
    content: <div className="flex h-full min-h-0 flex-col">{contents[tab]}</div>,
  }));
  return (
    <Screen title="Music" fixed>
      <div className="pb-2">
        <ScanCard />
      </div>
      <Tabs label="Parts of the music" tabs={tabs} value={part} onChange={(id) => open(id as MediaTab)} />
    </Screen>
  );
}

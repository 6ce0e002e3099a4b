// What must be decided, and how everybody is.
import { useQuery } from "@tanstack/react-query";
import { attentionQuery } from "@/api/queries";
import { useMatters } from "@/app/aside";
import { ModelCard } from "@/screens/setup/model-card";
import { Screen, useNow } from "@/ui";
import { AgentsGlance } from "./agents-glance";
import { Feed } from "./feed";
import { Inbox } from "./inbox";

export function HomeScreen() {
  const hour = new Date(useNow()).getHours();
  const greeting =
    hour < 5 ? "Still up" : hour < 12 ? "Good morning" : hour < 18 ? "Good afternoon" : "Good evening";
  const open = useMatters(useQuery(attentionQuery).data?.items).open.length;
  const matters = open === 1 ? "one matter waits" : `${open} matters wait`;
  return (
    <Screen title="Attention" note={open ? `${greeting}: ${matters} for you` : greeting}>
      <div className="grid gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <ModelCard />
          <Inbox />
          <AgentsGlance />
        </div>
        <Feed />
      </div>
    </Screen>
  );
}

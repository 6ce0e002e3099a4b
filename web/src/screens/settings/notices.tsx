import { useQuery } from "@tanstack/react-query";
import { configQuery } from "@/api/queries";
import { NoticeButton } from "@/app/notice-button";
import { NotifierCard } from "@/screens/setup/notifier-card";
import { hasNotifier } from "@/screens/setup/notifier-lines";
import { Card, CardHead } from "@/ui";

/** Who is told of what needs somebody. */
export function Notices() {
  const config = useQuery(configQuery);
  if (hasNotifier(config.data) === false) return <NotifierCard />;
  return (
    <Card aria-labelledby="notices-title">
      <CardHead
        id="notices-title"
        title="Notices of this browser"
        note="while its tab is open and not looked at"
      />
      <div className="px-4 pb-4">
        <NoticeButton />
      </div>
    </Card>
  );
}

import { useQuery } from "@tanstack/react-query";
import { BellRing } from "lucide-react";
import { useState } from "react";
import { configQuery } from "@/api/queries";
import { NoticeButton } from "@/app/notice-button";
import { Card, CardHead, Select } from "@/ui";
import { Lines } from "./lines";
import { hasNotifier, NOTIFIERS, notifierLines } from "./notifier-lines";

/** Where nobody would be told of anything: how somebody is. Nothing where a service is named. */
export function NotifierCard() {
  const config = useQuery(configQuery);
  const [kind, setKind] = useState(NOTIFIERS[0]?.kind ?? "");
  if (hasNotifier(config.data) !== false || !config.data) return null;
  const chosen = NOTIFIERS.find((one) => one.kind === kind) ?? NOTIFIERS[0];
  if (!chosen) return null;
  return (
    <Card aria-labelledby="notifier-title" className="border-wait/60">
      <CardHead
        id="notifier-title"
        title="Nobody is told outside of this page"
        note="a stall at night stays unseen until somebody looks"
      />
      <div className="flex flex-col gap-3 px-4 pb-4 text-sm">
        <Select
          label="Tell me by"
          className="max-w-80"
          value={chosen.kind}
          onChange={(event) => setKind(event.target.value)}
        >
          {NOTIFIERS.map((one) => (
            <option key={one.kind} value={one.kind}>
              {one.label}
            </option>
          ))}
        </Select>
        <Lines label={`Into ${config.data.file}`} text={notifierLines(chosen)} what="The lines" />
        {chosen.variables.map(({ name, what }) => (
          <p key={name} className="text-[13px] text-ink">
            <code className="font-mono">{name}</code>: {what}; it is set where the keeper is started.
          </p>
        ))}
        <p className="flex items-center gap-1.5 text-[13px] text-muted">
          <BellRing aria-hidden className="size-4 shrink-0" />
          <span>
            Start the keeper again, then press Test page on the watchdog's screen, or{" "}
            <code>abide watchdog test-page</code>.
          </span>
        </p>
        <NoticeButton />
      </div>
    </Card>
  );
}

import { Badge, Card, CardHead, Time, useNow, visibleLine } from "@/ui";
import type { Status } from "./api";
import { Attempts } from "./attempts";
import type { WatchdogView } from "./fold";

/** How the watchdog itself is: that it looks, what hides things from it, and who is not to be disturbed. */
export function WatchdogState({ view, status }: { view: WatchdogView; status: Status | null }) {
  const now = useNow();
  const silences = view.silences.filter((one) => Date.parse(one.until) > now);
  const isPaused = view.paused && !(view.paused.until && Date.parse(view.paused.until) <= now);
  return (
    <Card aria-labelledby="state-title">
      <CardHead id="state-title" title="Status" />
      <ul className="flex flex-col gap-2 px-4 pb-4 text-[13px]">
        <li className="text-ink">
          {view.lastScan ? (
            <>
              Last scan <Time at={view.lastScan.at} />: {view.lastScan.scanned} agents;{" "}
              {view.lastScan.stalled.length === 0
                ? "none stalled."
                : `stalled: ${view.lastScan.stalled.join(", ")}.`}
            </>
          ) : (
            "No scan in the lines that were read."
          )}
        </li>
        {status && status.scans_missed > 0 && (
          <li className="text-ink">
            <Badge tone="fail">late</Badge> {status.scans_missed} scans are overdue.
          </li>
        )}
        {status?.mute && (
          <li className="break-words text-ink">
            <Badge tone="fail">mute</Badge> It cannot write to the ledger: {status.mute}
          </li>
        )}
        {status && <DeadMan status={status} />}
        {view.blind && (
          <li className="break-words text-ink">
            <Badge tone="fail">{view.blind.cause === "network" ? "no network" : "blind"}</Badge>{" "}
            {view.blind.at && (
              <>
                since <Time at={view.blind.at} />:{" "}
              </>
            )}
            {view.blind.message}. Nobody is paged for silence.
          </li>
        )}
        {isPaused && view.paused && (
          <li className="break-words text-ink">
            <Badge tone="wait">paused</Badge> by {view.paused.by}, <Time at={view.paused.at} />
            {view.paused.reason && `: ${visibleLine(view.paused.reason)}`}
            {view.paused.until && (
              <>
                ; it ends <Time at={view.paused.until} />
              </>
            )}
          </li>
        )}
        {silences.map((one) => (
          <li key={one.agent ?? "*"} className="break-words text-ink">
            <Badge tone="wait">silence</Badge> {one.agent ?? "all agents"}
            {one.by && `, by ${one.by}`}; it ends <Time at={one.until} />
            {one.reason && `: ${visibleLine(one.reason)}`}
          </li>
        ))}
        {view.lastTest && (
          <li className="break-words text-ink">
            Tested <Time at={view.lastTest.at} />:{" "}
            {view.lastTest.pageFailed ? `the page failed (${view.lastTest.pageFailed})` : "the page went out"}
            ,{" "}
            {view.lastTest.notifyFailed
              ? `nobody could be notified (${view.lastTest.notifyFailed})`
              : "a person was notified"}
            .
            <Attempts attempts={view.lastTest.attempts} label="Who was notified of the test" />
          </li>
        )}
      </ul>
    </Card>
  );
}

/** The switch that somebody outside pulls when it is no longer reached; nothing where there is none. */
function DeadMan({ status }: { status: Status }) {
  const { dead_man_set, dead_man, dead_man_reached_at } = status;
  if (!dead_man_set && !dead_man) return null;
  return (
    <li className="break-words text-ink">
      <Badge tone={dead_man ? "wait" : "life"}>dead man's switch</Badge>{" "}
      {dead_man && `not reached: ${dead_man}`}
      {dead_man && dead_man_reached_at && "; "}
      {dead_man_reached_at ? (
        <>
          reached <Time at={dead_man_reached_at} />
        </>
      ) : (
        !dead_man && "not reached yet since this start"
      )}
    </li>
  );
}

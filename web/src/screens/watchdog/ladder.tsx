import { Link } from "@tanstack/react-router";
import { Bell, Hand, type LucideIcon, Megaphone } from "lucide-react";
import { Acknowledged } from "@/screens/home/acknowledged";
import { Badge, type BadgeTone, Card, CardHead, duration, EmptyState, Pulse, Time, visible } from "@/ui";
import { Attempts } from "./attempts";
import type { EpisodeView, RungView, StepState } from "./fold";
import { EpisodeActs } from "./matters";

const TONES: Record<StepState, BadgeTone> = { ahead: "plain", tried: "wait", done: "life", failed: "fail" };

/** Who is silent, and how far up the ladder it went. */
export function Stalls({ episodes }: { episodes: readonly EpisodeView[] }) {
  const open = episodes.filter((one) => !one.end);
  const ended = episodes.filter((one) => one.end).reverse();
  return (
    <Card aria-labelledby="stalls-title">
      <CardHead id="stalls-title" title="Stalls" note={open.length > 0 ? `${open.length} open` : undefined} />
      {open.length === 0 && (
        <EmptyState title="Nobody is stalled">
          An agent that has something to do and gives no evidence for longer than its threshold stands here,
          with the ladder: the bell, a page on the channel, a person.
        </EmptyState>
      )}
      {open.length > 0 && (
        <ul aria-label="Open stalls" className="divide-y divide-line border-t border-line">
          {open.map((one) => (
            <Episode key={one.id} episode={one} />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details className="border-t border-line px-4 py-2 text-[13px]">
          <summary className="cursor-default text-muted">{ended.length} that are over</summary>
          <ul className="mt-1">
            {ended.map((one) => (
              <li key={one.id} className="py-1 break-words text-ink">
                <Link to="/timeline" search={{ seq: one.seq, agent: one.agent }}>
                  {one.agent}
                </Link>
                , silent for {duration(one.silentMs)}: {one.end?.how}, <Time at={one.end?.at} />
                <Closing episode={one} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

function Episode({ episode }: { episode: EpisodeView }) {
  return (
    <li className="px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Pulse life="troubled" />
        <Link to="/agents" search={{ agent: episode.agent }} className="font-medium text-ink">
          {episode.agent}
        </Link>
        <span className="text-[13px] text-muted">
          noticed <Time at={episode.openedAt} />, after a silence of {duration(episode.silentMs)};{" "}
          {duration(episode.thresholdMs)} are allowed
        </span>
        {episode.heldUntil && (
          <Acknowledged by={{ by: episode.heldBy ?? "somebody", until: episode.heldUntil }} />
        )}
      </p>
      {episode.inWords ? (
        <p className="mt-2 text-[13px] break-words text-ink">
          Tried: {episode.inWords.join(", ") || "nothing yet"}
        </p>
      ) : (
        <ol aria-label={`Ladder of ${episode.agent}`} className="mt-2 grid gap-2 sm:grid-cols-3">
          <Rung icon={Bell} name="Bell" rung={episode.bell} ahead="asks its process whether it breathes" />
          <Rung icon={Megaphone} name="Page" rung={episode.page} ahead="names it on the channel" />
          <Rung icon={Hand} name="Person" rung={episode.person} ahead="notifies a person" />
        </ol>
      )}
      <Told episode={episode} />
      <EpisodeActs episode={episode.id} />
    </li>
  );
}

const everybody = (to: readonly string[]) => to.join(", ") || "everybody";

/** Who was notified of an open stall, step by step, and who is next. */
function Told({ episode }: { episode: EpisodeView }) {
  const { agent, person, steps, next } = episode;
  return (
    <>
      <Attempts attempts={person.attempts} label={`Who was notified of ${agent}`} />
      {(steps.length > 0 || next) && (
        <ol aria-label={`Further steps about ${agent}`} className="mt-2 flex flex-col gap-1 text-[13px]">
          {steps.map((one) => (
            <li key={one.step} className="min-w-0 break-words text-ink">
              Step {one.step}: {everybody(one.to)} <Badge tone={TONES[one.state]}>{WORDS[one.state]}</Badge>{" "}
              <span className="text-muted">
                {one.note && `${one.note}, `}
                <Time at={one.at} />
              </span>
              <Attempts attempts={one.attempts} label={`Who was notified of ${agent} in step ${one.step}`} />
            </li>
          ))}
          {next && (
            <li className="min-w-0 break-words text-muted">
              Next, unless it makes progress or somebody acknowledges it: {everybody(next.to)},{" "}
              <Time at={next.at} />
            </li>
          )}
        </ol>
      )}
      <Closing episode={episode} />
    </>
  );
}

const CLOSINGS: Record<string, string> = {
  resolved: "that it is over",
  acknowledged: "that it was acknowledged",
};

/** That those who had been told know the end of it. */
function Closing({ episode: { agent, closed } }: { episode: EpisodeView }) {
  if (!closed) return null;
  return (
    <div className="mt-1 text-[13px] text-muted">
      Told {CLOSINGS[closed.kind] ?? closed.kind.replaceAll("_", " ")}, <Time at={closed.at} />
      <Attempts attempts={closed.attempts} label={`Who was notified of the end for ${agent}`} />
    </div>
  );
}

const WORDS: Record<StepState, string> = { ahead: "ahead", tried: "tried", done: "done", failed: "failed" };

function Rung({
  icon: Icon,
  name,
  rung,
  ahead,
}: {
  icon: LucideIcon;
  name: string;
  rung: RungView;
  ahead: string;
}) {
  return (
    <li className="min-w-0 rounded-md border border-line bg-raised px-3 py-2 text-[13px]">
      <p className="flex items-center gap-2 text-ink">
        <Icon aria-hidden className="size-4 text-muted" /> {name}
        <Badge tone={TONES[rung.state]}>{WORDS[rung.state]}</Badge>
      </p>
      <p dir="auto" className="mt-1 break-words text-muted">
        {rung.state === "ahead" ? ahead : visible(rung.note ?? "")}
        {rung.at && (
          <>
            , <Time at={rung.at} />
          </>
        )}
      </p>
    </li>
  );
}

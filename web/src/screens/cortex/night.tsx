import { Link } from "@tanstack/react-router";
import type { NightView } from "@/api/generated";
import { Badge, type BadgeTone, Card, CardHead, duration, PlainText, Pulse, Time } from "@/ui";
import { Sources } from "./parts";
import { type StepLine, stepsOf, triggerWord } from "./sleep-model";

const TONES: Record<string, BadgeTone> = { ok: "life", failed: "fail", running: "thought", skipped: "wait" };

const STEP_NAMES: Record<string, string> = { facts: "Facts", identity: "Identity", dream: "Dream" };
const STATE_WORDS: Record<string, string> = {
  ok: "done",
  empty: "nothing found",
  running: "under way",
};

interface Props {
  agent: string;
  night: NightView;
  title: string;
  /** The exchanges that it was about, where they are known. */
  epochs?: readonly string[];
  seq?: number;
}

/** One sleep: why, what about, its steps with what each found, and its end. */
export function Night({ agent, night, title, epochs = [], seq }: Props) {
  const took = night.ended_at ? Date.parse(night.ended_at) - Date.parse(night.started_at) : null;
  return (
    <Card aria-label={title} data-testid="night">
      <CardHead title={title} note={<Time at={night.started_at} />}>
        {night.status ? (
          <Badge tone={TONES[night.status] ?? "plain"}>{STATE_WORDS[night.status] ?? night.status}</Badge>
        ) : (
          <span className="inline-flex items-center gap-2 text-[13px] text-muted">
            <Pulse life="alive" /> under way
          </span>
        )}
      </CardHead>
      <p className="px-4 pb-2 text-[13px] text-muted">
        Over {night.epochs} {night.epochs === 1 ? "exchange" : "exchanges"}, because{" "}
        {triggerWord(night.trigger)}, by {night.distiller}
        {took !== null && `, in ${duration(took)}`}.
      </p>
      {night.message && (
        <div className="px-4 pb-3 text-sm text-ink">
          <PlainText text={night.message.slice(0, 4_000)} />
        </div>
      )}
      <ol aria-label="Steps" className="divide-y divide-line border-t border-line">
        {stepsOf(night).map((step) => (
          <Step key={step.step} agent={agent} step={step} />
        ))}
      </ol>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2 text-[13px] text-muted">
        <Link to="/timeline" search={seq === undefined ? { q: night.sleep_id } : { seq }}>
          in the timeline
        </Link>
        <Link to="/cortex/$agent" params={{ agent }} search={{ tab: "dreams" }}>
          dreams
        </Link>
        <Link to="/cortex/$agent" params={{ agent }} search={{ tab: "knowledge" }}>
          facts
        </Link>
        <Sources agent={agent} sources={epochs.slice(0, 20)} />
        {epochs.length > 20 && <span>and {epochs.length - 20} more</span>}
      </p>
    </Card>
  );
}

/** Where that which a step found is looked at. */
const TABS = { facts: "knowledge", identity: "identity", dream: "dreams" } as const;

function Step({ agent, step }: { agent: string; step: StepLine }) {
  const tab = step.state === "ok" && step.step in TABS ? TABS[step.step as keyof typeof TABS] : undefined;
  return (
    <li className="px-4 py-2 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium text-ink">{STEP_NAMES[step.step] ?? step.step}</span>
        <Badge tone={TONES[step.state] ?? "plain"}>{STATE_WORDS[step.state] ?? step.state}</Badge>
        {step.parts > 1 && (
          <span className="text-xs text-muted">
            part {step.part} of {step.parts}
          </span>
        )}
        {tab && (
          <Link to="/cortex/$agent" params={{ agent }} search={{ tab }} className="ml-auto text-[13px]">
            look at it
          </Link>
        )}
      </p>
      {step.messages.map((message, at) => (
        <PlainText
          key={at}
          text={message.slice(0, 4_000)}
          className={
            step.state === "failed" ? "mt-0.5 text-[13px] text-fail" : "mt-0.5 text-[13px] text-muted"
          }
        />
      ))}
    </li>
  );
}

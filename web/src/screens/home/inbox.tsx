import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  AlarmClock,
  BookUser,
  CircleDollarSign,
  CircleX,
  Database,
  Dna,
  Hand,
  HardDrive,
  type LucideIcon,
  MoonStar,
  PauseCircle,
  Sparkles,
} from "lucide-react";
import { useMemo, useState } from "react";
import { act } from "@/api/client";
import type { ActionView, AttentionView } from "@/api/generated";
import { attentionQuery } from "@/api/queries";
import { usePreferredAgent } from "@/app/preferred-agent";
import { toastError } from "@/app/toasts";
import { useAgent, useApprovals } from "@/live/hooks";
import type { LiveApproval } from "@/live/state";
import { useConnection, useLive } from "@/live/store";
import {
  Badge,
  type BadgeTone,
  Button,
  Card,
  CardHead,
  Code,
  EmptyState,
  givenText,
  LoadError,
  Loading,
  Time,
  visible,
} from "@/ui";
import { byUrgency } from "./urgency";

interface Look {
  icon: LucideIcon;
  word: string;
  tone: BadgeTone;
}

const LOOKS: Record<string, Look> = {
  approval: { icon: Hand, word: "approval", tone: "wait" },
  stall: { icon: AlarmClock, word: "stall", tone: "fail" },
  epoch_failed: { icon: CircleX, word: "no reply", tone: "fail" },
  budget: { icon: CircleDollarSign, word: "budget", tone: "wait" },
  sleep: { icon: MoonStar, word: "sleep failed", tone: "fail" },
  identity: { icon: BookUser, word: "identity", tone: "thought" },
  evolution: { icon: Dna, word: "evolution", tone: "thought" },
  parked: { icon: PauseCircle, word: "parked", tone: "wait" },
  disk: { icon: HardDrive, word: "disk", tone: "fail" },
  memory: { icon: Database, word: "memory", tone: "fail" },
  ledger: { icon: Database, word: "ledger", tone: "fail" },
};

export function Inbox() {
  const attention = useQuery(attentionQuery);
  const approvals = useApprovals();
  const matters = useMemo(() => byUrgency(attention.data?.items ?? []), [attention.data]);
  return (
    <Card aria-labelledby="inbox-title">
      <CardHead
        id="inbox-title"
        title="Needs your decision"
        note={matters.length > 0 ? `${matters.length} open, the most urgent first` : undefined}
      />
      {attention.isPending && <Loading what="what waits" />}
      {attention.isError && (
        <LoadError
          what="The list could not be loaded."
          error={attention.error}
          retry={() => void attention.refetch()}
        />
      )}
      {attention.data && matters.length === 0 && (
        <EmptyState
          title="Nothing needs you"
          icon={<Sparkles aria-hidden className="size-7" />}
          action={<Begin />}
        >
          Approvals, stalls, failed epochs, spent budgets, failed sleeps and proposals about an identity would
          stand here, each with what can be done. Tools that ask first are named in <code>[tools] ask</code>.
        </EmptyState>
      )}
      {matters.length > 0 && (
        <ul aria-label="Needs attention" className="divide-y divide-line border-t border-line">
          {matters.map((matter) => (
            <Matter
              key={matter.id}
              matter={matter}
              approval={approvals.find((one) => `approval:${one.id}` === matter.id)}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** At a first start: what to do next. */
function Begin() {
  const agent = usePreferredAgent();
  const isNew = useLive((state) => state.base >= 0 && Object.keys(state.epochs).length === 0);
  const name = useAgent(agent ?? "")?.name;
  const navigate = useNavigate();
  if (!isNew || !agent) return null;
  return (
    <Button
      tone="primary"
      onClick={() => void navigate({ to: "/chat/$agent", params: { agent }, search: {} })}
    >
      Say something to {name ?? agent}
    </Button>
  );
}

function Matter({ matter, approval }: { matter: AttentionView; approval: LiveApproval | undefined }) {
  const look = LOOKS[matter.kind] ?? {
    icon: AlarmClock,
    word: matter.kind.replaceAll("_", " "),
    tone: "plain" as const,
  };
  return (
    <li className="flex gap-3 px-4 py-3">
      <look.icon aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted">
          <Badge tone={look.tone}>{look.word}</Badge>
          {matter.citizen && (
            <Link to="/chat/$agent" params={{ agent: matter.citizen }} search={{}} className="text-ink">
              {matter.citizen}
            </Link>
          )}
          <Time at={matter.since} />
          {approval && (
            <span>
              expires <Time at={approval.deadline} />
            </span>
          )}
        </p>
        <p dir="auto" className="mt-1 line-clamp-4 text-sm break-words text-ink">
          <Ticks text={matter.summary} />
        </p>
        {approval && (
          <div className="mt-2">
            <Code label={`Arguments of ${approval.tool}`} text={givenText(approval.arguments)} />
          </div>
        )}
        <Actions matter={matter} />
      </div>
    </li>
  );
}

function Actions({ matter }: { matter: AttentionView }) {
  const client = useQueryClient();
  const isOff = useConnection().phase === "offline";
  const [running, setRunning] = useState<string | null>(null);
  const run = async (action: ActionView) => {
    setRunning(action.label);
    try {
      await act(action);
    } catch (error) {
      toastError(`${action.label}: that did not work`, error);
    } finally {
      // The matter goes when the keeper says so, not before.
      await client.invalidateQueries({ queryKey: attentionQuery.queryKey });
      setRunning(null);
    }
  };
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {matter.actions.map((action, at) =>
        action.method === "GET" ? (
          <ShowAction key={action.label} matter={matter} action={action} />
        ) : (
          <Button
            key={action.label}
            size="s"
            tone={at === 0 ? "primary" : "plain"}
            busy={running === action.label}
            disabled={running !== null || isOff}
            aria-label={`${action.label}: ${matter.summary.slice(0, 80)}`}
            onClick={() => void run(action)}
          >
            {action.label}
          </Button>
        ),
      )}
    </div>
  );
}

/** "Show" leads to the screen that shows it. */
function ShowAction({ matter, action }: { matter: AttentionView; action: ActionView }) {
  const navigate = useNavigate();
  const go = () => {
    const epoch = /^\/epochs\/([^/?]+)$/.exec(action.path)?.[1];
    const agent = matter.citizen;
    if (epoch && agent) return navigate({ to: "/chat/$agent", params: { agent }, search: { epoch } });
    if (action.path.startsWith("/identity") && agent) {
      return navigate({ to: "/cortex/$agent", params: { agent }, search: { tab: "identity" } });
    }
    if (action.path.startsWith("/watchdog")) return navigate({ to: "/watchdog" });
    return navigate({ to: "/settings" });
  };
  return (
    <Button size="s" onClick={() => void go()} aria-label={`${action.label}: ${matter.summary.slice(0, 80)}`}>
      {action.label}
    </Button>
  );
}

/** A line of the keeper's own, with what stands in backquotes as code. */
function Ticks({ text }: { text: string }) {
  return visible(text)
    .split("`")
    .map((part, at) =>
      at % 2 === 1 ? (
        <code key={`${at}${part}`} className="rounded bg-raised px-1 font-mono text-[13px]">
          {part}
        </code>
      ) : (
        part
      ),
    );
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronRight, CircleX, Copy, Eye, GitFork, Link2, RotateCcw, Square, Terminal } from "lucide-react";
import { memo, useState } from "react";
import { asCurl, call } from "@/api/client";
import { configQuery } from "@/api/queries";
import { copyText } from "@/app/copy";
import { toastError } from "@/app/toasts";
import { isOpen, type LiveEpoch } from "@/live/state";
import { useConnection, useLive } from "@/live/store";
import {
  Badge,
  Button,
  Clock,
  Cost,
  count,
  cx,
  duration,
  IconButton,
  type Life,
  Menu,
  Pulse,
  Textarea,
  visible,
  visibleLine,
} from "@/ui";
import { Markdown, PlainText } from "@/ui/markdown";
import { ApprovalCard } from "./approval-card";
import { doingNow } from "./doing-now";
import { type Cause, failureOf, isStopped, retryLine } from "./failures";
import { over, overWords } from "./length";
import { Questions } from "./question-card";
import { stopEpoch } from "./stop";
import { ToolCard } from "./tool-card";

interface Props {
  epoch: LiveEpoch;
  onContext: (epoch: string) => void;
  isTarget: boolean;
}

/** One exchange: what was said, how the answer came about, the answer. */
export const Exchange = memo(function Exchange({ epoch, onContext, isTarget }: Props) {
  return (
    <article
      id={`epoch-${epoch.id}`}
      tabIndex={-1}
      aria-label={`Exchange of ${new Date(epoch.sentAt).toLocaleString()}`}
      className={cx(
        "pb-7 outline-none",
        isTarget && "rounded-lg ring-2 ring-line-strong ring-offset-8 ring-offset-bg",
      )}
    >
      <Asked epoch={epoch} onContext={onContext} />
      <div className="mt-3 flex flex-col gap-2 border-l-2 border-line pl-4">
        <Steps epoch={epoch} />
        <Growing epoch={epoch} />
        <Answer epoch={epoch} onContext={onContext} />
        <Foot epoch={epoch} onContext={onContext} />
      </div>
    </article>
  );
});

const again = (epoch: LiveEpoch, message?: string) =>
  call("POST /epochs/{id}/fork", { path: { id: epoch.id }, body: message === undefined ? {} : { message } });

function Asked({ epoch, onContext }: { epoch: LiveEpoch; onContext: (epoch: string) => void }) {
  const [edited, setEdited] = useState<string | null>(null);
  const icon = "size-4";
  return (
    <div className="flex flex-col items-end">
      <div className="mb-1 flex items-center gap-2 text-[13px] text-muted">
        <span className="font-medium text-ink">{visibleLine(epoch.sender)}</span>
        <span>{epoch.channel}</span>
        <Clock at={epoch.sentAt} />
        <Menu
          label="About this message"
          trigger={<IconButton size="s" label="About this message" icon={<span aria-hidden>⋯</span>} />}
          items={[
            {
              label: "Edit and fork",
              icon: <GitFork aria-hidden className={icon} />,
              onSelect: () => setEdited(epoch.content),
            },
            {
              label: "Ask again",
              icon: <RotateCcw aria-hidden className={icon} />,
              onSelect: () =>
                void again(epoch).catch((error) => toastError("It could not be asked again", error)),
            },
            {
              label: "What the model saw",
              icon: <Eye aria-hidden className={icon} />,
              onSelect: () => onContext(epoch.id),
            },
            {
              label: "Copy the message",
              icon: <Copy aria-hidden className={icon} />,
              onSelect: () => void copyText(epoch.content, "The message"),
            },
            {
              label: "Copy a link",
              icon: <Link2 aria-hidden className={icon} />,
              onSelect: () =>
                void copyText(
                  `${location.origin}/chat/${encodeURIComponent(epoch.agent)}?epoch=${epoch.id}`,
                  "The link",
                ),
            },
            {
              label: "Copy as curl",
              icon: <Terminal aria-hidden className={icon} />,
              onSelect: () => void copyText(asCurl("GET", `/epochs/${epoch.id}?thoughts=1`), "The command"),
            },
          ]}
        />
      </div>
      {edited === null ? (
        <div className="max-w-[85%] rounded-2xl rounded-tr-sm bg-raised px-4 py-2.5 text-[15px]">
          <PlainText text={epoch.content} />
        </div>
      ) : (
        <EditAndFork
          text={edited}
          onText={setEdited}
          onCancel={() => setEdited(null)}
          onSend={async () => {
            await again(epoch, edited).then(
              () => setEdited(null),
              (error) => toastError("The message could not be forked", error),
            );
          }}
        />
      )}
    </div>
  );
}

function EditAndFork(props: {
  text: string;
  onText: (text: string) => void;
  onCancel: () => void;
  onSend: () => Promise<void>;
}) {
  const [isBusy, setBusy] = useState(false);
  const tooLong = over(props.text);
  return (
    <form
      className="w-full max-w-[85%]"
      onSubmit={(event) => {
        event.preventDefault();
        setBusy(true);
        void props.onSend().finally(() => setBusy(false));
      }}
    >
      <Textarea
        label="The message, changed; the old exchange stays as it is"
        value={props.text}
        grows
        autoFocus
        onChange={(event) => props.onText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && props.onCancel()}
      />
      {tooLong > 0 && (
        <p role="alert" className="mt-1 text-[13px] text-fail">
          {overWords(tooLong)}
        </p>
      )}
      <div className="mt-2 flex justify-end gap-2">
        <Button size="s" tone="ghost" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button
          size="s"
          tone="primary"
          type="submit"
          busy={isBusy}
          disabled={!props.text.trim() || tooLong > 0}
        >
          Fork
        </Button>
      </div>
    </form>
  );
}

function Steps({ epoch }: { epoch: LiveEpoch }) {
  return epoch.turns.map((turn) => (
    <div key={turn.turn} className="flex flex-col gap-2">
      {turn.thought && <Thought text={turn.thought} turn={turn.turn} />}
      {turn.text && turn.calls.length > 0 && <Markdown text={turn.text} className="text-[15px]" />}
      {turn.calls.map((call) => (
        <ToolCard key={call.id} call={call} isEpochOpen={isOpen(epoch)} />
      ))}
    </div>
  ));
}

function Thought({ text, turn }: { text: string; turn: number }) {
  return (
    <details className="group rounded-lg px-3 py-1 text-sm open:border open:border-thought/40 open:bg-thought-soft">
      <summary className="flex cursor-pointer items-center gap-2 text-[13px]">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-thought transition-transform group-open:rotate-90"
        />
        <span className="shrink-0 text-thought">Thought, turn {turn}</span>
        <span dir="auto" className="min-w-0 flex-1 truncate text-muted italic group-open:hidden">
          {visibleLine(text.slice(0, 400).replace(/\s+/g, " "))}
        </span>
      </summary>
      <div className="pt-2 text-ink">
        <Markdown text={text} />
      </div>
    </details>
  );
}

/** The answer as far as it has grown. Never announced: the finished one is. */
function Growing({ epoch }: { epoch: LiveEpoch }) {
  if (!isOpen(epoch)) return null;
  const said = epoch.turns.find((turn) => turn.turn === epoch.turn && turn.calls.length === 0)?.text;
  const text = epoch.partial || said;
  return (
    <>
      {epoch.partialThought && <Thought text={epoch.partialThought} turn={epoch.turn} />}
      {text && (
        <div data-testid="growing" className="mt-1 text-[15px]">
          <Markdown text={text} grows />
        </div>
      )}
    </>
  );
}

function Answer({ epoch, onContext }: { epoch: LiveEpoch; onContext: (epoch: string) => void }) {
  if (epoch.state === "committed") {
    return (
      <div data-testid="reply" className="mt-1 text-[15px]">
        <Markdown text={epoch.reply ?? ""} />
      </div>
    );
  }
  if (epoch.state !== "aborted") return null;
  return (
    <>
      {epoch.leftover && (
        <div data-testid="leftover" className="mt-1 text-[15px] opacity-80">
          <p className="mb-1 text-xs text-muted">Written until then, and not kept in memory:</p>
          <Markdown text={epoch.leftover} grows />
        </div>
      )}
      {isStopped(epoch) ? <Stopped epoch={epoch} /> : <Failed epoch={epoch} onContext={onContext} />}
    </>
  );
}

/** A person ended it: no failure, and nothing to look into. */
function Stopped({ epoch }: { epoch: LiveEpoch }) {
  return (
    <div data-testid="stopped" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
      <Square aria-hidden className="size-3" />
      <span dir="auto" className="min-w-0 break-words">
        Stopped: {visibleLine(epoch.abort?.message ?? "by a person")}
      </span>
      <AgainButton epoch={epoch} />
    </div>
  );
}

function Failed({ epoch, onContext }: { epoch: LiveEpoch; onContext: (epoch: string) => void }) {
  const { headline, cause } = failureOf(epoch.abort?.code ?? "", epoch.failures.at(-1)?.code);
  return (
    <div
      data-testid="failed"
      className="rounded-lg border border-fail/50 bg-fail-soft px-3 py-2 text-sm text-ink"
    >
      <p className="flex items-center gap-2 font-medium">
        <CircleX aria-hidden className="size-4 shrink-0 text-fail" />
        {headline}
      </p>
      <p className="mt-0.5 text-[13px]">Nothing of this became memory; your message is kept.</p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <AgainButton epoch={epoch} />
        <CauseButton cause={cause} epoch={epoch} onContext={onContext} />
      </div>
      <details className="mt-2 text-[13px]">
        <summary className="cursor-pointer text-muted">What was recorded</summary>
        <p dir="auto" className="mt-1 break-words">
          <code className="font-mono text-xs">{epoch.abort?.code}</code>:{" "}
          {visible(epoch.abort?.message ?? "")}
        </p>
      </details>
    </div>
  );
}

function AgainButton({ epoch }: { epoch: LiveEpoch }) {
  return (
    <Button
      size="s"
      icon={<RotateCcw aria-hidden className="size-3.5" />}
      onClick={() => void again(epoch).catch((error) => toastError("It could not be asked again", error))}
    >
      Ask again
    </Button>
  );
}

function CauseButton(props: { cause: Cause; epoch: LiveEpoch; onContext: (epoch: string) => void }) {
  const { cause, epoch } = props;
  const navigate = useNavigate();
  const go = () => {
    switch (cause.kind) {
      case "settings":
        return void navigate({ to: "/settings", search: { q: cause.q } });
      case "agent":
        return void navigate({ to: "/agents", search: { agent: epoch.agent } });
      case "timeline":
        return void navigate({ to: "/timeline", search: { seq: epoch.lastSeq } });
      case "context":
        return props.onContext(epoch.id);
    }
  };
  return (
    <Button size="s" onClick={go}>
      {cause.label}
    </Button>
  );
}

function Foot({ epoch, onContext }: { epoch: LiveEpoch; onContext: (epoch: string) => void }) {
  const approval = useLive((state) => Object.values(state.approvals).find((one) => one.epochId === epoch.id));
  const isOff = useConnection().phase === "offline";
  if (isOpen(epoch)) {
    return (
      <>
        {approval && <ApprovalCard approval={approval} />}
        <Questions epoch={epoch.id} />
        <Retries epoch={epoch} />
        <div className="flex items-center gap-3 text-[13px] text-muted">
          <Pulse life={isOff ? "away" : lifeOfPhase(epoch.phase)} />
          <span>{isOff ? `Offline; as last seen it ${doingNow(epoch)}` : doingNow(epoch)}</span>
          <StopButton epoch={epoch} />
        </div>
      </>
    );
  }
  const took =
    epoch.openedAt && epoch.endedAt ? Date.parse(epoch.endedAt) - Date.parse(epoch.openedAt) : null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
      {epoch.emotive && (
        <Badge title="the feeling that the mind reported">{visibleLine(epoch.emotive.slice(0, 60))}</Badge>
      )}
      <Clock at={epoch.endedAt} />
      {took !== null && <span>{duration(took)}</span>}
      <span>{count(epoch.inputTokens + epoch.outputTokens)} tokens</span>
      <Cost microusd={epoch.costMicrousd} />
      {epoch.reply && (
        <IconButton
          size="s"
          label="Copy the answer"
          icon={<Copy aria-hidden className="size-3.5" />}
          onClick={() => void copyText(epoch.reply ?? "", "The answer")}
        />
      )}
      <Button
        size="s"
        tone="ghost"
        icon={<Eye aria-hidden className="size-3.5" />}
        onClick={() => onContext(epoch.id)}
      >
        Context
      </Button>
    </div>
  );
}

function lifeOfPhase(phase: LiveEpoch["phase"]): Life {
  if (phase === "approval") return "waiting";
  return phase === "queued" ? "still" : "alive";
}

/** Attempts that failed, with what follows: the newest in words, all of them as they were recorded. */
function Retries({ epoch }: { epoch: LiveEpoch }) {
  const last = epoch.failures.at(-1);
  const attempts = useAttemptsMax(last !== undefined);
  if (!last) return null;
  return (
    <details className="text-[13px] text-wait">
      <summary className="cursor-pointer">{retryLine(last, attempts)}</summary>
      <ul className="mt-1 list-disc pl-5 text-muted">
        {epoch.failures.map((failure) => (
          <li key={failure.attempt} dir="auto" className="break-words">
            {visible(failure.message)}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** How often a turn is asked, as configured; null where that is not known. */
function useAttemptsMax(isWanted: boolean): number | null {
  const config = useQuery({ ...configQuery, enabled: isWanted });
  const value = config.data?.items.find((one) => one.key === "limits.attempts")?.value;
  return value && /^\d+$/.test(value) ? Number(value) : null;
}

function StopButton({ epoch }: { epoch: LiveEpoch }) {
  const [isBusy, setBusy] = useState(false);
  const stop = async () => {
    setBusy(true);
    await stopEpoch(epoch.id);
    setBusy(false);
  };
  return (
    <Button
      size="s"
      busy={isBusy}
      icon={<Square aria-hidden className="size-3" />}
      onClick={() => void stop()}
    >
      Stop
    </Button>
  );
}

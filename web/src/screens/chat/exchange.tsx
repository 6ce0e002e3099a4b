import { ChevronRight, Eye, GitFork, Link2, RotateCcw, Square, Terminal } from "lucide-react";
import { memo, useState } from "react";
import { asCurl, call } from "@/api/client";
import { copyText } from "@/app/copy";
import { toastError } from "@/app/toasts";
import { isOpen, type LiveEpoch } from "@/live/state";
import { useLive } from "@/live/store";
import {
  Badge,
  Button,
  Clock,
  Cost,
  count,
  cx,
  duration,
  IconButton,
  Menu,
  Pulse,
  Textarea,
  visible,
  visibleLine,
} from "@/ui";
import { Markdown, PlainText } from "@/ui/markdown";
import { ApprovalCard } from "./approval-card";
import { doingNow } from "./doing-now";
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
        <Answer epoch={epoch} />
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
        <span className="font-medium text-ink">{epoch.sender}</span>
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
        maxLength={10_000}
        grows
        autoFocus
        onChange={(event) => props.onText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && props.onCancel()}
      />
      <div className="mt-2 flex justify-end gap-2">
        <Button size="s" tone="ghost" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button size="s" tone="primary" type="submit" busy={isBusy} disabled={!props.text.trim()}>
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

function Answer({ epoch }: { epoch: LiveEpoch }) {
  if (epoch.state === "committed") {
    return (
      <div data-testid="reply" className="mt-1 text-[15px]">
        <Markdown text={epoch.reply ?? ""} />
      </div>
    );
  }
  if (epoch.state !== "aborted") return null;
  return (
    <div className="rounded-lg border border-fail/50 bg-fail-soft px-3 py-2 text-sm">
      <p className="text-ink">
        No reply: <span dir="auto">{visible(epoch.abort?.message ?? "")}</span>
      </p>
      <p className="mt-1 text-[13px] text-muted">Code {epoch.abort?.code}. Nothing of it became memory.</p>
      <Button
        size="s"
        className="mt-2"
        icon={<RotateCcw aria-hidden className="size-3.5" />}
        onClick={() => void again(epoch).catch((error) => toastError("It could not be asked again", error))}
      >
        Ask again
      </Button>
    </div>
  );
}

function Foot({ epoch, onContext }: { epoch: LiveEpoch; onContext: (epoch: string) => void }) {
  const approval = useLive((state) => Object.values(state.approvals).find((one) => one.epochId === epoch.id));
  if (isOpen(epoch)) {
    return (
      <>
        {approval && <ApprovalCard approval={approval} />}
        {epoch.failures.map((failure) => (
          <p key={failure} className="text-[13px] break-words text-wait">
            Asked again: {failure}
          </p>
        ))}
        <div className="flex items-center gap-3 text-[13px] text-muted">
          <Pulse
            life={epoch.phase === "approval" ? "waiting" : epoch.phase === "queued" ? "still" : "alive"}
          />
          <span>{doingNow(epoch)}</span>
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
        <Badge title="the feeling that the mind reported">{epoch.emotive.slice(0, 60)}</Badge>
      )}
      <Clock at={epoch.endedAt} />
      {took !== null && <span>{duration(took)}</span>}
      <span>{count(epoch.inputTokens + epoch.outputTokens)} tokens</span>
      <Cost microusd={epoch.costMicrousd} />
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

import { SendHorizontal } from "lucide-react";
import { useEffect, useState } from "react";
import { call, idempotencyKey } from "@/api/client";
import { ApiError, messageOf } from "@/api/errors";
import { toastError } from "@/app/toasts";
import { useAgent } from "@/live/hooks";
import { useConnection } from "@/live/store";
import { Button, cx, Input, Textarea } from "@/ui";
import { CHARS_MAX, left, over, overWords } from "./length";
import { keepSenderName, useSenderName } from "./sender";

const ATTEMPTS_MAX = 8;
const RETRY_MS = 1_500;

/** A text that is put into the field from outside; another `n` is another time. */
export interface Put {
  text: string;
  n: number;
}

/** Takes a message. The text stays until the keeper has it on its disk; a key lets it be sent again without being answered twice. */
export function Composer({
  agent,
  session,
  put,
  isNarrow = false,
  onSent,
}: {
  agent: string;
  session: string | undefined;
  put: Put;
  /** Whether there is room for a message alone, beside something else. */
  isNarrow?: boolean;
  /** The keeper has a message on its disk. */
  onSent: () => void;
}) {
  const state = useAgent(agent);
  const connection = useConnection();
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(agent)) ?? "");
  const sender = useSenderName();
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const keep = (next: string) => {
    setText(next);
    keepDraft(agent, next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that something is put in
  useEffect(() => {
    if (put.n === 0) return;
    keep(put.text);
    document.getElementById("message")?.focus();
  }, [put.n]);
  const send = async () => {
    const message = text;
    if (!message.trim() || isBusy) return;
    const tooLong = over(message);
    if (tooLong > 0) return setTrouble(overWords(tooLong));
    setBusy(true);
    setTrouble("");
    try {
      await sendUntilTaken(
        {
          message,
          sender: sender.trim() || "user",
          channel: "direct",
          citizen: agent,
          session_id: session ?? null,
          interactive: true,
        },
        setTrouble,
      );
      setTrouble("");
      onSent();
      setText((now) => {
        const rest = now === message ? "" : now;
        keepDraft(agent, rest);
        return rest;
      });
    } catch (error) {
      setTrouble(messageOf(error));
    } finally {
      setBusy(false);
      document.getElementById("message")?.focus();
    }
  };
  const tooLong = over(text);
  const told = trouble || (tooLong > 0 ? overWords(tooLong) : "");
  const said = told ? "" : hint(text, state?.openEpoch != null, connection.phase);
  return (
    <form
      className="border-t border-line bg-surface px-3 py-2 sm:px-6 sm:py-3 short:!py-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="mx-auto max-w-3xl">
        {state?.paused && <Paused agent={agent} why={state.paused} />}
        <div className="flex items-end gap-2">
          <Textarea
            className="min-w-0 flex-1"
            id="message"
            label={`Message to ${state?.name ?? agent}`}
            hideLabel
            placeholder={`Message to ${state?.name ?? agent}`}
            value={text}
            grows
            rows={1}
            aria-invalid={tooLong > 0 || undefined}
            onChange={(event) => {
              keep(event.target.value);
              setTrouble("");
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault();
                void send();
              }
            }}
          />
          <Button
            tone="primary"
            className="mb-px shrink-0 max-sm:!px-2.5"
            type="submit"
            aria-label="Send"
            busy={isBusy}
            disabled={!text.trim()}
            icon={<SendHorizontal aria-hidden className="size-4" />}
          >
            <span className="max-sm:hidden">Send</span>
          </Button>
        </div>
        <div className="flex items-center gap-3">
          <p
            className={cx(
              "min-w-0 flex-1 text-xs text-muted",
              told ? "mt-1" : isNarrow ? "hidden" : "max-sm:hidden short:hidden",
            )}
          >
            <span role="alert" className={told ? "text-[13px] text-fail" : "sr-only"}>
              {told}
            </span>
            {said}
          </p>
          {!isNarrow && (
            <YouAre className="max-sm:hidden short:hidden" sender={sender} onSender={keepSenderName} />
          )}
        </div>
      </div>
    </form>
  );
}

const draftKey = (agent: string) => `abide.draft.${agent}`;

/** A text that no keeper takes is not kept either: a browser has room for a few megabytes, and says so by an error. */
function keepDraft(agent: string, text: string): void {
  if (over(text) === 0) sessionStorage.setItem(draftKey(agent), text);
}

function hint(text: string, isWorking: boolean, phase: string): string {
  if (phase === "offline") return "Offline: a message is sent when the keeper answers again.";
  const room = left(text);
  if (room < CHARS_MAX * 0.1) return `${room.toLocaleString("en")} characters left`;
  if (isWorking && text) return "It is working; your message is queued.";
  return "Enter sends, Shift+Enter begins a new line.";
}

/** Who speaks. */
export function YouAre(props: { sender: string; onSender: (sender: string) => void; className?: string }) {
  return (
    <Input
      className={cx(
        "mt-1.5 flex w-44 shrink-0 items-center gap-2 [&_label]:mb-0 [&_label]:shrink-0",
        props.className,
      )}
      label="You are"
      title="Who speaks: the agent is told, and remembers what each person said"
      value={props.sender}
      maxLength={64}
      spellCheck={false}
      onChange={(event) => props.onSender(event.target.value)}
    />
  );
}

type Message = Parameters<typeof call<"POST /start-epoch">>[1] extends { body: infer B } | undefined
  ? B
  : never;

/** Sends until the keeper says yes or no; nothing answered is neither. */
async function sendUntilTaken(body: Message, onTrouble: (text: string) => void): Promise<void> {
  const headers = { "Idempotency-Key": idempotencyKey() };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await call("POST /start-epoch", { body, headers });
      return;
    } catch (error) {
      const mayPass = error instanceof ApiError && (error.status === 0 || error.status === 503);
      if (!mayPass || attempt === ATTEMPTS_MAX) throw error;
      onTrouble("Not sent yet; trying again…");
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}

function Paused({ agent, why }: { agent: string; why: string }) {
  const resume = () =>
    call("POST /agents/{id}/{action}", { path: { id: agent, action: "resume" }, body: null }).catch((error) =>
      toastError(`${agent} could not be resumed`, error),
    );
  return (
    <div className="mb-2 flex items-center gap-3 rounded-md border border-wait/50 bg-wait-soft px-3 py-1.5 text-[13px] text-ink">
      <span className="min-w-0 flex-1">Messages wait: {why}</span>
      <Button size="s" onClick={() => void resume()}>
        Resume
      </Button>
    </div>
  );
}

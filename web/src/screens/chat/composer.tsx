import { SendHorizontal } from "lucide-react";
import { useEffect, useState } from "react";
import { call, idempotencyKey } from "@/api/client";
import { ApiError, messageOf } from "@/api/errors";
import { toastError } from "@/app/toasts";
import { useAgent } from "@/live/hooks";
import { useConnection } from "@/live/store";
import { Button, Input, Textarea } from "@/ui";
import { keepSenderName, senderName } from "./sender";

const CHARS_MAX = 10_000;
const ATTEMPTS_MAX = 8;
const RETRY_MS = 1_500;

/** A text that is put into the field from outside; another `n` is another time. */
export interface Put {
  text: string;
  n: number;
}

/** Takes a message. The text stays until the keeper has it on its disk; a key lets it be sent again without being answered twice. */
export function Composer({ agent, session, put }: { agent: string; session: string | undefined; put: Put }) {
  const state = useAgent(agent);
  const connection = useConnection();
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(agent)) ?? "");
  const [sender, setSender] = useState(senderName);
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
    setBusy(true);
    setTrouble("");
    keepSenderName(sender);
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
  return (
    <form
      className="border-t border-line bg-surface px-4 py-3 sm:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="mx-auto max-w-3xl">
        {state?.paused && <Paused agent={agent} why={state.paused} />}
        <Textarea
          id="message"
          label={`Message to ${state?.name ?? agent}`}
          hideLabel
          placeholder={`Message to ${state?.name ?? agent}`}
          value={text}
          grows
          rows={2}
          maxLength={CHARS_MAX}
          onChange={(event) => keep(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              void send();
            }
          }}
        />
        <div className="mt-2 flex items-center gap-3">
          <Input
            className="flex w-40 shrink-0 items-center gap-2 [&_label]:mb-0 [&_label]:shrink-0"
            label="You are"
            title="Who speaks: the agent is told, and remembers what each person said"
            value={sender}
            maxLength={64}
            spellCheck={false}
            onChange={(event) => setSender(event.target.value)}
          />
          <p className="min-w-0 flex-1 text-xs text-muted max-sm:[&:not(:has(.text-fail))]:hidden">
            <span role="alert" className={trouble ? "text-[13px] text-fail" : "sr-only"}>
              {trouble}
            </span>
            {!trouble && hint(text, state?.openEpoch != null, connection.phase)}
          </p>
          <Button
            tone="primary"
            className="ml-auto"
            type="submit"
            busy={isBusy}
            disabled={!text.trim()}
            icon={<SendHorizontal aria-hidden className="size-4" />}
          >
            Send
          </Button>
        </div>
      </div>
    </form>
  );
}

const draftKey = (agent: string) => `abide.draft.${agent}`;

/** A text that no keeper takes is not kept either: a browser has room for a few megabytes, and says so by an error. */
function keepDraft(agent: string, text: string): void {
  if (text.length <= CHARS_MAX) sessionStorage.setItem(draftKey(agent), text);
}

function hint(text: string, isWorking: boolean, phase: string): string {
  if (phase === "offline") return "Offline: a message is sent when the keeper answers again.";
  if (text.length > CHARS_MAX)
    return `${(text.length - CHARS_MAX).toLocaleString("en")} characters more than a message may have`;
  if (text.length > CHARS_MAX * 0.9)
    return `${(CHARS_MAX - text.length).toLocaleString("en")} characters left`;
  if (isWorking && text) return "It is working; your message is queued.";
  return "Enter sends, Shift+Enter begins a new line.";
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

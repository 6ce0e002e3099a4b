import { useQueryClient } from "@tanstack/react-query";
import { BellOff, Megaphone, Pause, Play, ScanEye } from "lucide-react";
import { useState } from "react";
import { isRecord } from "@/api/errors";
import { toast, toastError } from "@/app/toasts";
import { undoable } from "@/app/undo";
import { useConnection } from "@/live/store";
import { Button, Confirm } from "@/ui";
import { type Order, order, type Status, statusQuery } from "./api";

/** What a person can tell the watchdog. */
export function Orders({ status }: { status: Status }) {
  const client = useQueryClient();
  const isOff = useConnection().phase === "offline";
  const [busy, setBusy] = useState("");
  const [isAsking, setAsking] = useState(false);
  const again = () => void client.invalidateQueries({ queryKey: statusQuery.queryKey });
  const give = (name: Order, what: () => Promise<unknown>) => {
    setBusy(name);
    void what().finally(() => {
      setBusy("");
      again();
    });
  };
  const both = (name: Order, back: Order, done: string, body: Record<string, unknown> = {}) =>
    give(name, () =>
      undoable({ done, run: () => order(name, body), undo: () => order(back).finally(again) }),
    );
  const shared = (name: Order) => ({
    size: "s" as const,
    busy: busy === name,
    disabled: isOff || busy !== "",
  });
  const isSilent = status.silences.some((one) => one.agent === null);
  return (
    <>
      <Button
        {...shared("scan")}
        icon={<ScanEye aria-hidden className="size-3.5" />}
        onClick={() =>
          give("scan", () => order("scan").catch((error) => toastError("The scan failed", error)))
        }
      >
        Scan now
      </Button>
      {status.maintenance ? (
        <Button
          {...shared("resume")}
          icon={<Play aria-hidden className="size-3.5" />}
          onClick={() => both("resume", "pause", "The watchdog works again")}
        >
          Resume
        </Button>
      ) : (
        <Button
          {...shared("pause")}
          icon={<Pause aria-hidden className="size-3.5" />}
          onClick={() => both("pause", "resume", "The watchdog is paused: it scans and notifies nobody")}
        >
          Pause
        </Button>
      )}
      {!isSilent && (
        <Button
          {...shared("silence")}
          icon={<BellOff aria-hidden className="size-3.5" />}
          onClick={() => both("silence", "unsilence", "Nobody is paged for 1 h", { for: "1h" })}
        >
          Silence all for 1 h
        </Button>
      )}
      <Button
        {...shared("test-page")}
        icon={<Megaphone aria-hidden className="size-3.5" />}
        onClick={() => setAsking(true)}
      >
        Test page
      </Button>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title="Test the escalation?"
        act="Send a test page"
        onAct={() => give("test-page", test)}
      >
        A page goes to the channel and a notice to whoever is told of stalls; both say that they are a test.
      </Confirm>
    </>
  );
}

async function test(): Promise<void> {
  try {
    const told = await order("test-page");
    const failed = (name: string) => (isRecord(told) && typeof told[name] === "string" ? told[name] : null);
    const [page, notice] = [failed("page_failed"), failed("notify_failed")];
    toast({
      title: page || notice ? "A step of the escalation failed" : "The page and the notice went out",
      note: [page && `Page: ${page}`, notice && `Notice: ${notice}`].filter(Boolean).join(". "),
      tone: page || notice ? "fail" : "plain",
      ms: 12_000,
    });
  } catch (error) {
    toastError("The test could not be made", error);
  }
}

/** One agent is not to be disturbed about, or is again. */
export function SilenceButton({ agent, isSilent }: { agent: string; isSilent: boolean }) {
  const client = useQueryClient();
  const isOff = useConnection().phase === "offline";
  const again = () => void client.invalidateQueries({ queryKey: statusQuery.queryKey });
  const silence = () => order("silence", { agent, for: "1h" });
  const unsilence = () => order("unsilence", { agent });
  const press = () =>
    undoable({
      done: isSilent ? `The silence about ${agent} is over` : `Nobody is paged about ${agent} for 1 h`,
      run: isSilent ? unsilence : silence,
      undo: () => (isSilent ? silence() : unsilence()).finally(again),
    }).finally(again);
  return (
    <Button
      size="s"
      tone={isSilent ? "plain" : "ghost"}
      disabled={isOff}
      aria-label={isSilent ? `End the silence about ${agent}` : `Silence about ${agent} for 1 h`}
      onClick={() => void press()}
    >
      {isSilent ? "End silence" : "Silence for 1 h"}
    </Button>
  );
}

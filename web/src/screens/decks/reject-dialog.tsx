import { useState } from "react";
import { Button, Dialog, Textarea } from "@/ui";

const REASON_CHARS_MAX = 1_000;

/** Asks why lines are not wanted. No reason is a reason too. */
export function RejectDialog(props: {
  /** What is rejected. */
  title: string;
  lines: readonly string[];
  onReject: (reason: string) => Promise<void>;
  onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const reject = () => {
    if (isBusy) return;
    setBusy(true);
    void props.onReject(reason.trim()).finally(() => setBusy(false));
  };
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title={props.title}>
      <form
        className="px-4 pb-4 text-sm text-ink"
        onSubmit={(event) => {
          event.preventDefault();
          reject();
        }}
      >
        <ul className="mb-3 max-h-40 list-disc overflow-y-auto pl-5">
          {props.lines.map((line, at) => (
            <li key={at}>{line}</li>
          ))}
        </ul>
        <Textarea
          label="Why? (may be left empty)"
          autoFocus
          hint="The agent is told with its next turn, and does not propose the same again."
          maxLength={REASON_CHARS_MAX}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            reject();
          }}
        />
        <div className="mt-4 flex justify-end gap-2">
          <Button tone="ghost" onClick={props.onClose}>
            Cancel
          </Button>
          <Button tone="danger" type="submit" busy={isBusy}>
            Reject
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

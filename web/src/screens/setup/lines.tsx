import { copyText } from "@/app/copy";
import { Code } from "@/ui";

/** Lines for a file, with a way to take them along. */
export function Lines({ label, text, what }: { label: string; text: string; what: string }) {
  return (
    <div>
      <p className="mb-1 text-[13px] break-all text-muted">{label}</p>
      <Code label={label} text={text} onCopy={() => void copyText(text, what)} />
    </div>
  );
}

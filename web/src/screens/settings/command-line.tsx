import { Copy } from "lucide-react";
import { copyText } from "@/app/copy";
import { IconButton } from "@/ui";

/** A command for a terminal, and what it is for. */
export function CommandLine({ command, children }: { command: string; children: React.ReactNode }) {
  return (
    <li className="flex items-start gap-2 py-1 text-[13px]">
      <div className="min-w-0 flex-1">
        <code className="font-mono text-xs break-words text-ink">{command}</code>
        <p className="text-muted">{children}</p>
      </div>
      <IconButton
        size="s"
        label={`Copy: ${command}`}
        icon={<Copy aria-hidden className="size-3.5" />}
        onClick={() => void copyText(command, "The command")}
      />
    </li>
  );
}

import { Component, type ReactNode, useMemo } from "react";
import { copyText } from "@/app/copy";
import type { LiveCall } from "@/live/state";
import { Code, visibleLine } from "@/ui";
import { drawn } from "./registry";

/** What a call gave: in the form of its tool where it ran and gave what that tool gives, else as it was recorded. */
export function Result({ call }: { call: LiveCall }) {
  const { name, content, outcome } = call;
  const form = useMemo(
    () => (outcome === "ok" && content !== null ? drawn(name, content, call.arguments) : null),
    [name, content, outcome, call.arguments],
  );
  if (content === null) return null;
  const label = `Result of ${visibleLine(name)}`;
  if (!form) return <Recorded label={label} content={content} />;
  return (
    <Otherwise show={<Recorded label={label} content={content} />}>
      {/* biome-ignore lint/a11y/useSemanticElements: no group of fields */}
      <div role="group" aria-label={label} className="min-w-0 text-[13px] text-ink">
        {form}
      </div>
      <details>
        <summary className="cursor-pointer text-xs text-muted">As it was recorded</summary>
        <div className="pt-1">
          <Recorded label={`${label}, as it was recorded`} content={content} />
        </div>
      </details>
    </Otherwise>
  );
}

function Recorded({ label, content }: { label: string; content: string }) {
  return <Code label={label} text={readable(content)} onCopy={() => void copyText(content, "The result")} />;
}

/** JSON laid out; any other text as it is. A very long one is not touched. */
function readable(text: string): string {
  if (text.length > 64 * 1024 || !/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Shows something else in the place of what cannot be drawn: a defect of one form costs the form alone. */
export class Otherwise extends Component<{ show: ReactNode; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.show : this.props.children;
  }
}

import { Copy as CopyIcon } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./button";
import { cx } from "./cx";
import { visible } from "./visible";

/** What is shown more with each press. */
export const PIECE_CHARS = 100_000;

/** Text as it is, in pieces that a browser lays out well. */
export function PlainText({ text, className }: { text: string; className?: string }) {
  return (
    <div dir="auto" className={cx("break-words whitespace-pre-wrap", className)}>
      {visible(text)}
    </div>
  );
}

/** Text or JSON in fixed width, bounded. */
export function Code({
  text,
  label,
  chars = 4_000,
  onCopy,
}: {
  text: string;
  label: string;
  chars?: number;
  /** Offers to take all of it along. */
  onCopy?: () => void;
}) {
  const [shown, setShown] = useState(chars);
  return (
    <div className="relative">
      {onCopy && (
        <span className="absolute top-1 right-1 rounded-md bg-field">
          <IconButton
            size="s"
            label="Copy this"
            icon={<CopyIcon aria-hidden className="size-3.5" />}
            onClick={onCopy}
          />
        </span>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls, not one of fields */}
      <pre tabIndex={0} role="group" aria-label={label} dir="auto" className="code">
        {visible(text.length > shown ? whole(text, shown) : text)}
      </pre>
      {text.length > shown && (
        <button type="button" className="md-more" onClick={() => setShown(shown + PIECE_CHARS)}>
          Show more ({(text.length - shown).toLocaleString("en")} more characters)
        </button>
      )}
    </div>
  );
}

/** The first characters of a text, without half of a surrogate pair. */
export function whole(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

import { Copy } from "lucide-react";
import { useMemo } from "react";
import { copyText } from "@/app/copy";
import { IconButton } from "./button";
import { highlight, languageName, type PieceKind } from "./highlight";

const LOOKS: Record<PieceKind, string> = {
  plain: "",
  comment: "text-muted italic",
  string: "text-life",
  number: "text-wait",
  keyword: "text-thought",
  added: "text-life",
  removed: "text-fail",
  heading: "text-muted",
};

/** Code as somebody wrote it: its language, its colours, and a way to take it along. What is copied is what is seen. */
export function CodeBlock({ text, language, grows }: { text: string; language: string; grows: boolean }) {
  // What still grows is drawn with each piece; it gets its colours when it is whole.
  const pieces = useMemo(() => highlight(text, grows ? "" : language), [text, language, grows]);
  const name = languageName(language);
  return (
    <div className="code-block">
      <div className="flex items-center gap-2 pr-1 pl-3 text-xs text-muted">
        <span className="min-w-0 flex-1 truncate">{name || "Code"}</span>
        <IconButton
          size="s"
          label="Copy the code"
          icon={<Copy aria-hidden className="size-3.5" />}
          onClick={() => void copyText(text, "The code")}
        />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls, not one of fields */}
      <pre tabIndex={0} role="group" aria-label={name ? `Code, ${name}` : "Code"}>
        <code>
          {pieces.map((piece, at) =>
            piece.kind === "plain" ? (
              piece.text
            ) : (
              <span key={at} className={LOOKS[piece.kind]}>
                {piece.text}
              </span>
            ),
          )}
        </code>
      </pre>
    </div>
  );
}

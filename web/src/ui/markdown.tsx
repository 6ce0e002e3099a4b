// Text of agents, people and tools as Markdown: data, never markup. HTML in it is shown as the text that it is; links lead only to
// http, https and mailto, and are said to lead outside; images become links, for nothing is loaded from elsewhere.
import { createContext, isValidElement, memo, useContext, useMemo, useState } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { PIECE_CHARS, PlainText, whole } from "./code";
import { CodeBlock } from "./code-block";
import { cx } from "./cx";
import { closeHalfOpen } from "./half-open";
import { visible } from "./visible";

/** Characters that are shown at once; the rest on demand, piece by piece. */
const SHOWN_CHARS = 12_000;
/** Beyond this a text is shown plain: formatting it would hold the page up. */
const FORMATTED_CHARS_MAX = 60_000;

const PLUGINS = [remarkGfm];

/** An address that a link may have; null for any other. */
export function safeHref(href: string | null | undefined): string | null {
  if (!href) return null;
  // Browsers skip control characters and spaces in a scheme; so does this look at it.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  const bare = href.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g, "");
  return /^(https?:\/\/|mailto:)/i.test(bare) ? bare : null;
}

const COMPONENTS: Components = {
  a: ({ href, children }) => <Outside href={href}>{children}</Outside>,
  img: ({ src, alt }) => <Outside href={typeof src === "string" ? src : undefined}>{alt || "image"}</Outside>,
  // A page has one first heading, and it is not in a message.
  h1: ({ children }) => <p className="md-h1">{children}</p>,
  h2: ({ children }) => <p className="md-h2">{children}</p>,
  h3: ({ children }) => <p className="md-h3">{children}</p>,
  h4: ({ children }) => <p className="md-h3">{children}</p>,
  h5: ({ children }) => <p className="md-h3">{children}</p>,
  h6: ({ children }) => <p className="md-h3">{children}</p>,
  pre: ({ children }) => <Block>{children}</Block>,
  table: ({ children }) => (
    <div className="md-table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <span>{checked ? "☑ " : "☐ "}</span>,
};

/** A block of code, taken out of what Markdown makes of it. */
function Block({ children }: { children: React.ReactNode }) {
  const grows = useContext(Grows);
  if (!isValidElement<{ className?: string; children?: React.ReactNode }>(children))
    return <pre tabIndex={0}>{children}</pre>;
  const { className = "", children: inner } = children.props;
  const text = typeof inner === "string" ? inner : Array.isArray(inner) ? inner.join("") : "";
  const language = /(?:^|\s)language-(\S+)/.exec(className)?.[1] ?? "";
  return <CodeBlock text={text.replace(/\n$/, "")} language={language} grows={grows} />;
}

/** Whether the text around is still being written. */
const Grows = createContext(false);

function Outside({ href, children }: { href: string | undefined; children: React.ReactNode }) {
  const safe = safeHref(href);
  if (!safe) return <span title={href ? "this link leads nowhere safe" : undefined}>{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe}>
      {children}
    </a>
  );
}

interface Props {
  text: string;
  /** The text is still being written. */
  grows?: boolean;
  className?: string;
}

export const Markdown = memo(function Markdown({ text, grows = false, className }: Props) {
  const [shown, setShown] = useState(SHOWN_CHARS);
  const isCut = text.length > shown;
  const isPlain = Math.min(text.length, shown) > FORMATTED_CHARS_MAX;
  const part = useMemo(() => {
    const start = visible(isCut ? whole(text, shown) : text);
    return grows || isCut ? closeHalfOpen(start) : start;
  }, [text, shown, isCut, grows]);
  return (
    <div dir="auto" className={cx("md", className)}>
      {isPlain ? (
        <PlainText text={isCut ? whole(text, shown) : text} />
      ) : (
        <Grows value={grows}>
          <ReactMarkdown
            remarkPlugins={PLUGINS}
            skipHtml={false}
            urlTransform={(url) => safeHref(url) ?? ""}
            components={COMPONENTS}
          >
            {part}
          </ReactMarkdown>
        </Grows>
      )}
      {isCut && (
        <p>
          <button type="button" className="md-more" onClick={() => setShown(shown + PIECE_CHARS)}>
            Show {text.length - shown > PIECE_CHARS ? "more" : "all"} (
            {(text.length - shown).toLocaleString("en")} more characters)
          </button>
        </p>
      )}
    </div>
  );
});

export { Code, PlainText } from "./code";

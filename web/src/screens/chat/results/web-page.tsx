import { Code, Time } from "@/ui";
import { type Place, placeOf, TitleLink } from "./address";
import { Remark } from "./bounded";
import { blockOf, counted, countOf, fieldsOf, type Kept, keptOrNone, lineOf, momentOf } from "./read";

const BEGINNING_CHARS = 300;

export interface WebPage {
  title: string;
  place: Place;
  author: string;
  published: string | null;
  text: string;
  /** Length of the whole text, in characters. */
  total: number;
  /** Where what was read begins and ends in it. */
  from: number;
  to: number;
  warnings: Kept<string>;
}

/** `internet.fetch`. */
export function parseWebPage(result: unknown, given: unknown): WebPage | null {
  const fields = fieldsOf(result);
  const [place, text, total] = [placeOf(fields?.url), blockOf(fields?.text), countOf(fields?.total_chars)];
  const warnings = keptOrNone(fields?.warnings, (warning) => lineOf(warning));
  if (!place || text === null || total === null || !warnings) return null;
  const from = Math.min(countOf(fieldsOf(given)?.offset) ?? 0, total);
  return {
    title: lineOf(fields?.title) ?? "",
    place,
    author: lineOf(fields?.author, 100) ?? "",
    published: momentOf(fields?.published),
    text,
    total,
    from,
    to: countOf(fields?.next_offset) ?? total,
    warnings,
  };
}

export function WebPageView({ model }: { model: WebPage }) {
  const { text, from, to, total } = model;
  const isPart = from > 0 || to < total;
  const begins = lineOf(text, BEGINNING_CHARS);
  return (
    <div className="flex flex-col gap-1">
      <p>
        <TitleLink title={model.title} place={model.place} />
        {model.author && <span className="text-muted"> · {model.author}</span>}
        {model.published && (
          <span className="text-muted">
            {" "}
            · <Time at={model.published} />
          </span>
        )}
      </p>
      <Remark>
        {counted(total, "character")} of text
        {isPart && `; ${from.toLocaleString("en")} to ${to.toLocaleString("en")} were read`}
      </Remark>
      {begins && (
        <details>
          <summary className="cursor-pointer break-words">
            <span dir="auto">{begins}</span>
          </summary>
          <div className="pt-1">
            <Code label="Text of the page" text={text} />
          </div>
        </details>
      )}
      {model.warnings.items.slice(0, 5).map((warning, at) => (
        <Remark key={at}>{warning}</Remark>
      ))}
    </div>
  );
}

import { Time } from "@/ui";
import { type Place, placeOf, TitleLink } from "./address";
import { Remark, useBounded } from "./bounded";
import { fieldsOf, type Kept, keptOf, keptOrNone, lineOf, momentOf } from "./read";

interface Hit {
  title: string;
  place: Place;
  snippet: string;
  /** A point in time, or the words of the service. */
  published: { at: string } | { text: string } | null;
}

export interface WebSearch {
  hits: Kept<Hit>;
  notes: Kept<string>;
}

/** `internet.search`. */
export function parseWebSearch(result: unknown): WebSearch | null {
  const fields = fieldsOf(result);
  const hits = keptOf(fields?.results, hitOf);
  const notes = keptOrNone(fields?.notes, (note) => lineOf(note));
  return hits && notes && { hits, notes };
}

function hitOf(value: unknown): Hit | null {
  const fields = fieldsOf(value);
  const [title, place] = [lineOf(fields?.title), placeOf(fields?.url)];
  if (title === null || !place) return null;
  const at = momentOf(fields?.published);
  const text = lineOf(fields?.published, 40);
  return {
    title,
    place,
    snippet: lineOf(fields?.snippet, 600) ?? "",
    published: at ? { at } : text ? { text } : null,
  };
}

export function WebSearchView({ model }: { model: WebSearch }) {
  const { shown, rest } = useBounded(model.hits, 10);
  return (
    <div className="flex flex-col items-start gap-2">
      {shown.length === 0 && <Remark>Nothing was found.</Remark>}
      <ol className="flex flex-col gap-2">
        {shown.map((hit, at) => (
          <li key={at}>
            <TitleLink title={hit.title} place={hit.place} />
            {hit.published && (
              <span className="text-muted">
                {" "}
                · {"at" in hit.published ? <Time at={hit.published.at} /> : hit.published.text}
              </span>
            )}
            {hit.snippet && (
              <p dir="auto" className="break-words text-muted">
                {hit.snippet}
              </p>
            )}
          </li>
        ))}
      </ol>
      {rest}
      {model.notes.items.slice(0, 5).map((note, at) => (
        <Remark key={at}>{note}</Remark>
      ))}
    </div>
  );
}

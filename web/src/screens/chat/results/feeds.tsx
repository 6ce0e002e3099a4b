import { Badge, Moment, Time } from "@/ui";
import { type Place, placeOf, TitleLink } from "./address";
import { Remark, useBounded } from "./bounded";
import { counted, countOf, fieldsOf, type Kept, keptOf, lineOf, momentOf } from "./read";

interface Entry {
  title: string;
  place: Place | null;
  summary: string;
  /** When it was published, or first seen where the feed does not say. */
  at: string | null;
}

interface Feed {
  title: string;
  place: Place;
  entries: Kept<Entry>;
  /** Entries that are new and not shown here. */
  unshown: number;
  remarks: string[];
}

export interface Feeds {
  feeds: Kept<Feed>;
  /** Feeds that could not be read. */
  problems: Kept<{ title: string; place: Place; problem: string }>;
  unchecked: number;
}

/** `rss.check`. */
export function parseFeedCheck(result: unknown): Feeds | null {
  const fields = fieldsOf(result);
  const feeds = keptOf(fields?.feeds, feedOf);
  const problems = keptOf(fields?.problems, problemOf);
  return feeds && problems && { feeds, problems, unchecked: countOf(fields?.unchecked) ?? 0 };
}

/** `rss.fetch`. */
export function parseFeedFetch(result: unknown): Feeds | null {
  const feed = feedOf(result);
  return feed && { feeds: { items: [feed], more: 0 }, problems: { items: [], more: 0 }, unchecked: 0 };
}

function feedOf(value: unknown): Feed | null {
  const fields = fieldsOf(value);
  const [title, place] = [lineOf(fields?.title), placeOf(fields?.url)];
  const entries = keptOf(fields?.entries, entryOf);
  if (title === null || !place || !entries) return null;
  const known = entries.items.length + entries.more;
  const remarks = [fields?.note, fields?.problem, fields?.moved].flatMap((one) => lineOf(one) || []);
  return { title, place, entries, unshown: Math.max(0, (countOf(fields?.new) ?? known) - known), remarks };
}

function entryOf(value: unknown): Entry | null {
  const fields = fieldsOf(value);
  const [title, place] = [lineOf(fields?.title), placeOf(fields?.link)];
  if (title === null || (!title && !place)) return null;
  const at = momentOf(fields?.published) ?? momentOf(fields?.first_seen);
  return { title, place, summary: lineOf(fields?.summary, 600) ?? "", at };
}

function problemOf(value: unknown) {
  const fields = fieldsOf(value);
  const [place, problem] = [placeOf(fields?.url), lineOf(fields?.problem)];
  return place && problem !== null ? { title: lineOf(fields?.title) ?? "", place, problem } : null;
}

export function FeedsView({ model }: { model: Feeds }) {
  const { shown, rest } = useBounded(model.feeds, 20);
  const isEmpty = shown.length === 0 && model.problems.items.length === 0;
  return (
    <div className="flex flex-col items-start gap-3">
      {isEmpty && <Remark>Nothing is new.</Remark>}
      {shown.map((feed, at) => (
        <FeedPart key={at} feed={feed} />
      ))}
      {rest}
      <Problems problems={model.problems} />
      {model.unchecked > 0 && <Remark>Left for the next check: {counted(model.unchecked, "feed")}.</Remark>}
    </div>
  );
}

function FeedPart({ feed }: { feed: Feed }) {
  const { shown, rest } = useBounded(feed.entries, 10);
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="font-medium text-ink">
        <TitleLink title={feed.title} place={feed.place} />
      </p>
      {feed.remarks.map((remark, at) => (
        <Remark key={at}>{remark}</Remark>
      ))}
      {shown.length === 0 && <Remark>It has no entries to show.</Remark>}
      <ul className="flex flex-col gap-1.5 border-l-2 border-line pl-3">
        {shown.map((entry, at) => (
          <li key={at}>
            <TitleLink title={entry.title} place={entry.place} />
            {entry.at && (
              <span className="text-muted">
                {" "}
                · <Time at={entry.at} />
              </span>
            )}
            {entry.summary && (
              <p dir="auto" className="line-clamp-3 break-words text-muted">
                {entry.summary}
              </p>
            )}
          </li>
        ))}
      </ul>
      {rest}
      {feed.unshown > 0 && (
        <Remark>{feed.unshown.toLocaleString("en")} more stay new for the next check.</Remark>
      )}
    </div>
  );
}

function Problems({ problems }: { problems: Feeds["problems"] }) {
  const { shown, rest } = useBounded(problems, 10);
  if (shown.length === 0) return null;
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-fail">Could not be read:</p>
      <ul className="flex flex-col gap-1">
        {shown.map((one, at) => (
          <li key={at}>
            <TitleLink title={one.title} place={one.place} />
            <p dir="auto" className="break-words text-muted">
              {one.problem}
            </p>
          </li>
        ))}
      </ul>
      {rest}
    </div>
  );
}

interface Subscription {
  title: string;
  place: Place;
  checkedAt: string | null;
  waitsUntil: string | null;
  isGone: boolean;
}

/** `rss.list`. */
export function parseSubscriptions(result: unknown): Kept<Subscription> | null {
  return keptOf(fieldsOf(result)?.feeds, subscriptionOf);
}

function subscriptionOf(value: unknown): Subscription | null {
  const fields = fieldsOf(value);
  const [title, place] = [lineOf(fields?.title), placeOf(fields?.url)];
  if (title === null || !place) return null;
  return {
    title,
    place,
    checkedAt: momentOf(fields?.checked_at),
    waitsUntil: momentOf(fields?.waits_until),
    isGone: fields?.gone === true,
  };
}

export function SubscriptionsView({ model }: { model: Kept<Subscription> }) {
  const { shown, rest } = useBounded(model, 20);
  if (shown.length === 0) return <Remark>There are no subscriptions.</Remark>;
  return (
    <div className="flex flex-col items-start gap-1">
      <ul className="flex flex-col gap-1">
        {shown.map((feed, at) => (
          <li key={at}>
            <TitleLink title={feed.title} place={feed.place} />
            <span className="text-muted">
              {" "}
              ·{" "}
              {feed.checkedAt ? (
                <>
                  checked <Time at={feed.checkedAt} />
                </>
              ) : (
                "not checked yet"
              )}
            </span>
            {feed.waitsUntil && (
              <span className="text-muted">
                {" "}
                · its server asked to be left alone until <Moment at={feed.waitsUntil} />
              </span>
            )}{" "}
            {feed.isGone && <Badge tone="fail">gone</Badge>}
          </li>
        ))}
      </ul>
      {rest}
    </div>
  );
}

import type { ReactNode } from "react";
import { lineOf } from "./read";

const URL_CHARS_MAX = 2_048;

/** Where a link may lead: http and https alone, and nothing in it that hides where that is. */
export interface Address {
  href: string;
  /** As a browser asks for it: letters of other scripts stand there in their plain form. */
  host: string;
}

/** The address that a text is; null for any that is not to be followed. */
export function addressOf(value: unknown): Address | null {
  if (typeof value !== "string" || value.length > URL_CHARS_MAX) return null;
  try {
    const { protocol, username, password, host, href } = new URL(value);
    if (protocol !== "https:" && protocol !== "http:") return null;
    // What stands before an @ looks like the host and is not.
    return username || password || !host ? null : { href, host };
  } catch {
    return null;
  }
}

/** Where something is said to be: an address, or the text that is none. */
export interface Place {
  link: Address | null;
  text: string;
}

export function placeOf(value: unknown): Place | null {
  const text = lineOf(value);
  return text ? { link: addressOf(value), text } : null;
}

/** A link that leads out of Abide and tells nobody from where. */
export function OutsideLink({ to, children }: { to: Address; children: ReactNode }) {
  return (
    <a href={to.href} target="_blank" rel="noopener noreferrer nofollow" title={to.href}>
      {children}
    </a>
  );
}

/** A title that leads somewhere, with the host beside it; where it leads nowhere safe, the address is a text. */
export function TitleLink({ title, place }: { title: string; place: Place | null }) {
  const named = title || place?.link?.host || place?.text || "without a title";
  return (
    <span dir="auto" className="break-words">
      {place?.link ? <OutsideLink to={place.link}>{named}</OutsideLink> : named}{" "}
      {place && title && <span className="text-muted">{place.link?.host ?? place.text}</span>}
    </span>
  );
}

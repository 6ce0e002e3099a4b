import { text } from "@/app/search";

/** `?session=` shows one conversation, `?epoch=` leads to one exchange, `?q=` searches. */
export interface ChatSearch {
  session?: string | undefined;
  epoch?: string | undefined;
  q?: string | undefined;
}

export function chatSearch(search: Record<string, unknown>): ChatSearch {
  return { session: text(search.session), epoch: text(search.epoch, 36), q: text(search.q) };
}

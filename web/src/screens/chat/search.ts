import { text } from "@/app/search";

/** `?session=` shows one conversation, `?epoch=` leads to one exchange, `?q=` searches, `?context=` shows what was shown to the mind. */
export interface ChatSearch {
  session?: string | undefined;
  epoch?: string | undefined;
  q?: string | undefined;
  context?: string | undefined;
}

export function chatSearch(search: Record<string, unknown>): ChatSearch {
  return {
    session: text(search.session),
    epoch: text(search.epoch, 36),
    q: text(search.q),
    context: text(search.context, 36),
  };
}

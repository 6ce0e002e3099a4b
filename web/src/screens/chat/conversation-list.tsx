import { Plus } from "lucide-react";
import { useConnection } from "@/live/store";
import { Button, cx, Pulse, Time } from "@/ui";
import type { Conversation } from "./conversations";

interface Props {
  conversations: readonly Conversation[];
  /** The one that is shown; undefined for all. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
  onNew: () => void;
  /** Reads further back; undefined where all was read. */
  onEarlier: (() => void) | undefined;
  isReading: boolean;
}

/** The conversations with an agent: what each is about, what was said last, what is new. */
export function ConversationList({ conversations, chosen, onChoose, onNew, onEarlier, isReading }: Props) {
  const isOff = useConnection().phase === "offline";
  const isNew = chosen !== undefined && !conversations.some((one) => one.id === chosen);
  return (
    <nav aria-label="Conversations" className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-3 pt-3 pb-2">
        <h2 className="text-sm font-semibold text-ink">Conversations</h2>
        <Button size="s" className="ml-auto" icon={<Plus aria-hidden className="size-3.5" />} onClick={onNew}>
          New
        </Button>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto pb-2">
        <li>
          <Entry isChosen={chosen === undefined} onClick={() => onChoose(undefined)}>
            <span className="text-sm text-ink">All conversations</span>
          </Entry>
        </li>
        {isNew && (
          <li>
            <Entry isChosen onClick={() => onChoose(chosen)}>
              <span className="text-sm text-ink">A new one</span>
              <span className="block text-xs text-muted">It begins with your first message.</span>
            </Entry>
          </li>
        )}
        {conversations.map((one) => (
          <li key={one.id}>
            <Entry isChosen={one.id === chosen} onClick={() => onChoose(one.id)} title={one.id}>
              <span className="flex items-center gap-2">
                {one.isOpen && <Pulse life={isOff ? "away" : "alive"} />}
                <span
                  dir="auto"
                  className={cx(
                    "min-w-0 flex-1 truncate text-sm text-ink",
                    one.unread > 0 && "font-semibold",
                  )}
                >
                  {one.title}
                </span>
                {one.unread > 0 && (
                  <span className="min-w-5 rounded-full bg-accent px-1.5 text-center text-[11px] leading-5 font-semibold text-on-accent">
                    {one.unread}
                    <span className="sr-only"> unread</span>
                  </span>
                )}
              </span>
              <span dir="auto" className="block truncate text-xs text-muted">
                {one.last}
              </span>
              <span className="block text-xs text-muted">
                <Time at={one.lastAt} />, {one.epochs === 1 ? "1 exchange" : `${one.epochs} exchanges`}
              </span>
            </Entry>
          </li>
        ))}
        {onEarlier && (
          <li className="px-3 pt-2">
            <Button size="s" busy={isReading} onClick={onEarlier}>
              Look further back
            </Button>
          </li>
        )}
      </ul>
    </nav>
  );
}

function Entry(props: { isChosen: boolean; onClick: () => void; title?: string; children: React.ReactNode }) {
  return (
    <button
      type="button"
      aria-current={props.isChosen || undefined}
      title={props.title}
      onClick={props.onClick}
      className={cx(
        "block w-full border-l-2 px-3 py-2 text-left hover:bg-raised",
        props.isChosen ? "border-accent bg-raised" : "border-transparent",
      )}
    >
      {props.children}
    </button>
  );
}

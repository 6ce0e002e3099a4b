// What a line about music says. Its subject is the keeper, whose player it is; who asked stands behind it.
import type { AnyEvent } from "./event";
import { quotePlain } from "./quote";

function counted(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}

/** The first of some tracks by its title, and how many more there are. */
function tracks(entries: readonly { title: string }[]): string {
  const [first] = entries;
  if (first === undefined) return "nothing";
  const more = entries.length > 1 ? ` and ${counted(entries.length - 1, "more track", "more tracks")}` : "";
  return `${quotePlain(first.title)}${more}`;
}

/** What happened with the music; null for any other event. */
export function heard(event: AnyEvent): string | null {
  if (!event.kind.startsWith("media.")) return null;
  const who = "by" in event.data ? (event.data.by as { who?: string; name?: string }) : {};
  const by = who.who === "player" ? "" : ` for ${who.name ?? "somebody"}`;
  switch (event.kind) {
    case "media.queue_added":
      return `put ${tracks(event.data.entries)} into the queue of music${by}`;
    case "media.queue_removed":
      return `took ${counted(event.data.entries.length, "entry", "entries")} out of the queue of music${by}`;
    case "media.queue_moved":
      return `moved an entry of the queue of music${by}`;
    case "media.queue_cleared":
      return `emptied the queue of music${by}`;
    case "media.entry_started":
      return `began entry ${event.data.entry} of the queue of music${by}`;
    case "media.entry_finished":
      return `played entry ${event.data.entry} of the queue of music to its end`;
    case "media.entry_failed":
      return `could not play entry ${event.data.entry} of the queue of music: ${quotePlain(event.data.reason)}`;
    case "media.intent_set":
      return `${event.data.intent === "play" ? "went on with" : "paused"} the music${by}`;
    case "media.stopped":
      return event.data.reason === "asked" ? `stopped the music${by}` : "came to the end of the music";
    case "media.repeat_set":
      return `set the repetition of the music to ${event.data.repeat}${by}`;
    case "media.shuffle_set":
      return `${event.data.seed === null ? "put the music into its own order" : "shuffled the music"}${by}`;
    case "media.volume_set":
      return `set the music to ${event.data.volume} %${by}`;
    case "media.playlist_created":
      return `made the playlist ${quotePlain(event.data.title)}${by}`;
    case "media.playlist_renamed":
      return `renamed a playlist to ${quotePlain(event.data.title)}${by}`;
    case "media.playlist_deleted":
      return `deleted a playlist${by}`;
    case "media.playlist_added":
      return `put ${tracks(event.data.entries)} into a playlist${by}`;
    case "media.playlist_removed":
      return `took ${counted(event.data.entries.length, "entry", "entries")} out of a playlist${by}`;
    case "media.playlist_moved":
      return `moved an entry of a playlist${by}`;
    default:
      return null;
  }
}

// Notices of this browser: what comes up while its tab is not looked at. They need the tab to be open; who is to be told in any case
// names a service in the configuration.
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { AttentionView } from "@/api/generated";
import { useLive } from "@/live/store";
import { visibleLine } from "@/ui/visible";
import { asideKey } from "./aside";

const KEY = "abide.notices";
/** So many matters are told one by one; more in one notice. */
const SINGLE_MAX = 3;
const BODY_CHARS = 200;

export type NoticeState = "on" | "off" | "refused" | "unsupported";

const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

/** Whether this browser tells of matters, and why not. */
export function noticeState(): NoticeState {
  if (!("Notification" in window) || !window.isSecureContext) return "unsupported";
  if (Notification.permission === "denied") return "refused";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

export function useNoticeState(): NoticeState {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, noticeState);
}

/** Asks the person once, as browsers demand in answer to a press. */
export async function turnNotices(isOn: boolean): Promise<void> {
  if (isOn && Notification.permission === "default") await Notification.requestPermission();
  localStorage.setItem(KEY, isOn ? "on" : "off");
  tell();
}

let isTeller = false;

/**
 * Stands for being the one tab of this browser that tells: browsers allow six connections to a host, and a tab that tells keeps its own
 * while it is hidden. `onTurn` is called when it is this tab's turn, and when notices are turned on elsewhere during it. Returns how to
 * give up.
 */
export function standForTelling(onTurn: () => void): () => void {
  const given = new AbortController();
  let release = () => {};
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== KEY) return;
    tell();
    if (isTeller) onTurn();
  };
  window.addEventListener("storage", onStorage);
  if (navigator.locks) {
    const hold = () => {
      if (given.signal.aborted) return;
      isTeller = true;
      onTurn();
      return new Promise<void>((done) => {
        release = done;
      });
    };
    // It fails where it is given up before its turn.
    navigator.locks.request("abide.notices", { signal: given.signal }, hold).catch(() => {});
  } else {
    // Each tab tells for itself.
    isTeller = true;
  }
  return () => {
    window.removeEventListener("storage", onStorage);
    isTeller = false;
    given.abort();
    release();
  };
}

/** Whether this tab is the one that tells, and is to. */
export const tellsHere = (): boolean => isTeller && noticeState() === "on";

/** What is told of new matters: each one, or how many. */
export function noticesOf(fresh: readonly AttentionView[]): { title: string; body: string; tag: string }[] {
  if (fresh.length > SINGLE_MAX)
    return [{ title: `${fresh.length} matters wait for you`, body: "", tag: "abide:many" }];
  return fresh.map((one) => ({
    title: one.citizen ? `${one.citizen} needs you` : "Abide needs you",
    body: visibleLine(one.summary).slice(0, BODY_CHARS),
    tag: `abide:${one.id}`,
  }));
}

/** Tells of matters that come up while nobody looks at the page. */
export function useNotices(open: readonly AttentionView[], isRead: boolean): void {
  const base = useLive((state) => state.base);
  const router = useRouter();
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!isRead || base < 0) return;
    const keys = open.map(asideKey);
    const before = known.current;
    known.current = new Set(keys);
    // What waited before the page was opened is no news.
    if (!before || document.visibilityState === "visible" || !tellsHere()) return;
    for (const { title, body, tag } of noticesOf(open.filter((one) => !before.has(asideKey(one))))) {
      try {
        const notice = new Notification(title, { body, tag });
        notice.onclick = () => {
          window.focus();
          void router.navigate({ to: "/" });
          notice.close();
        };
      } catch {
        // Some phones take notices of service workers alone; the title of the page counts all the same.
        return;
      }
    }
  }, [open, isRead, base, router]);
}

import { Bell, BellOff } from "lucide-react";
import { Button } from "@/ui";
import { turnNotices, useNoticeState } from "./notices";
import { toastError } from "./toasts";

/** Whether this browser tells of what comes up while its tab is not looked at. */
export function NoticeButton() {
  const state = useNoticeState();
  if (state === "unsupported")
    return (
      <p className="text-[13px] text-muted">
        This browser tells of nothing here: it offers notices to https and to this machine alone.
      </p>
    );
  if (state === "refused")
    return (
      <p className="text-[13px] text-muted">
        This browser was told to show no notices of this page; its settings for the page change that.
      </p>
    );
  const isOn = state === "on";
  return (
    <Button
      size="s"
      className="self-start"
      aria-pressed={isOn}
      icon={isOn ? <BellOff aria-hidden className="size-3.5" /> : <Bell aria-hidden className="size-3.5" />}
      onClick={() =>
        void turnNotices(!isOn).catch((error) => toastError("The browser could not be asked", error))
      }
    >
      {isOn ? "Notify this browser no longer" : "Notify this browser"}
    </Button>
  );
}

import { X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { Button, cx, IconButton, visible } from "@/ui";
import { dismiss, drop, useToasts } from "./toasts";

/** Where toasts stand. F8 goes there. */
export function Toaster() {
  const toasts = useToasts();
  return (
    <Radix.Provider swipeDirection="right">
      {toasts.map((one) => (
        <Radix.Root
          key={one.id}
          open
          duration={one.ms}
          type={one.tone === "fail" ? "foreground" : "background"}
          onOpenChange={(open) => !open && dismiss(one.id)}
          className={cx(
            "flex items-start gap-3 rounded-lg border bg-raised px-3 py-2.5 shadow-xl",
            one.tone === "fail" ? "border-fail/60" : "border-line-strong",
          )}
        >
          <div className="min-w-0 flex-1">
            <Radix.Title className="text-sm font-medium text-ink">{one.title}</Radix.Title>
            {one.note && (
              <Radix.Description className="text-[13px] break-words text-muted">
                {visible(one.note)}
              </Radix.Description>
            )}
          </div>
          {one.undo && (
            <Radix.Action asChild altText={one.undo.label}>
              <Button
                size="s"
                onClick={(event) => {
                  event.preventDefault();
                  drop(one.id);
                  one.undo?.run();
                }}
              >
                {one.undo.label}
              </Button>
            </Radix.Action>
          )}
          <IconButton
            size="s"
            label="Dismiss"
            icon={<X aria-hidden className="size-4" />}
            onClick={() => dismiss(one.id)}
          />
        </Radix.Root>
      ))}
      <Radix.Viewport className="fixed right-3 bottom-[calc(4.5rem+var(--music-bar)+env(safe-area-inset-bottom))] z-[60] flex w-[min(24rem,calc(100vw-1.5rem))] flex-col gap-2 outline-none md:bottom-[calc(0.75rem+var(--music-bar))]" />
    </Radix.Provider>
  );
}

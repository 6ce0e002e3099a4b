import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./button";
import { cx } from "./cx";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** Read aloud with the title. */
  about?: string;
  children: ReactNode;
  size?: "m" | "l";
  /** A panel at the side instead of a box in the middle. */
  side?: boolean;
  hideTitle?: boolean;
}

/** A box above the page: focus stays in it and goes back where it was. */
export function Dialog({
  open,
  onOpenChange,
  title,
  about,
  children,
  size = "m",
  side,
  hideTitle,
}: DialogProps) {
  const opener = useRef<Element | null>(null);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/55" />
        <Radix.Content
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          // Its boxes have no trigger of Radix, which would give the focus to nothing.
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (document.activeElement === document.body && opener.current instanceof HTMLElement)
              opener.current.focus({ preventScroll: true });
          }}
          aria-describedby={about ? undefined : ""}
          className={cx(
            "fixed z-50 flex flex-col overflow-hidden border border-line-strong bg-surface shadow-2xl",
            side
              ? "inset-y-0 right-0 w-full max-w-[560px] border-y-0 border-r-0"
              : "top-[8vh] left-1/2 max-h-[84vh] w-[calc(100vw-1.5rem)] -translate-x-1/2 rounded-xl",
            !side && (size === "l" ? "max-w-4xl" : "max-w-xl"),
          )}
        >
          <div className={cx("flex items-start gap-3 px-4 pt-3 pb-2", hideTitle && "sr-only")}>
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-base font-semibold text-ink">{title}</Radix.Title>
              {about && <Radix.Description className="text-[13px] text-muted">{about}</Radix.Description>}
            </div>
            {!hideTitle && <Close />}
          </div>
          {/* What scrolls is reached by the keyboard. */}
          <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
            {children}
          </div>
          {/* Behind what it belongs to: the focus begins at the first thing of a box. */}
          {hideTitle && (
            <div className="sr-only focus-within:not-sr-only focus-within:absolute focus-within:top-3 focus-within:right-3">
              <Close />
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Close() {
  return (
    <Radix.Close asChild>
      <IconButton label="Close" size="s" icon={<X aria-hidden className="size-4" />} />
    </Radix.Close>
  );
}

/** Asks before something that cannot be taken back. Prefer an act with undo (`app/undo.ts`). */
export function Confirm(props: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  act: string;
  onAct: () => void;
}) {
  return (
    <Dialog open={props.open} onOpenChange={props.onOpenChange} title={props.title}>
      <div className="px-4 pb-4 text-sm text-ink">
        {props.children}
        <div className="mt-4 flex justify-end gap-2">
          <button
            type="button"
            className="rounded-md px-3 py-1.5 text-muted hover:text-ink"
            onClick={() => props.onOpenChange(false)}
          >
            Cancel
          </button>
          <button
            type="button"
            className="rounded-md border border-fail/60 px-3 py-1.5 text-fail hover:bg-fail-soft"
            onClick={() => {
              props.onOpenChange(false);
              props.onAct();
            }}
          >
            {props.act}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

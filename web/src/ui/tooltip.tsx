import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

/** More about a thing, on hover and on focus. The child must be able to have focus. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={350}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={5}
            className="z-50 max-w-80 rounded-md border border-line-strong bg-raised px-2 py-1 text-xs text-ink shadow-lg"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

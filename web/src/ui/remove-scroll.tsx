// In place of react-remove-scroll, which writes <style> elements that the content security policy refuses. While a dialog or
// menu that covers the page is open, the page does not scroll: an attribute on the body says so and a rule of ours does it.
import { Slot } from "radix-ui";
import { type ReactNode, useEffect } from "react";

interface Props {
  children?: ReactNode;
  as?: unknown;
  allowPinchZoom?: boolean;
  shards?: unknown;
  enabled?: boolean;
}

let holders = 0;

export function RemoveScroll({
  children,
  as: _as,
  allowPinchZoom: _pinch,
  shards: _shards,
  enabled = true,
  ...rest
}: Props) {
  useEffect(() => {
    if (!enabled) return;
    holders += 1;
    document.body.dataset.scroll = "held";
    return () => {
      holders -= 1;
      if (holders === 0) delete document.body.dataset.scroll;
    };
  }, [enabled]);
  return <Slot.Root {...rest}>{children}</Slot.Root>;
}

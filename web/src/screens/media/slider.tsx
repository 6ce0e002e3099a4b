// A value that is dragged or stepped. It is sent when it has rested for a moment, and what was sent stands until the keeper answered.
import { useEffect, useRef, useState } from "react";
import { cx } from "@/ui";

/** After the last change, before it is sent: a drag is one act. */
const REST_MS = 250;

export function Slider(props: {
  label: string;
  value: number;
  max: number;
  step?: number;
  /** How the value is read aloud. */
  say: (value: number) => string;
  disabled?: boolean;
  className?: string;
  /** While it is dragged. */
  onDraft?: (value: number | null) => void;
  onChange: (value: number) => Promise<unknown>;
}) {
  const [draft, setDraft] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = (value: number | null) => {
    setDraft(value);
    newest.current.onDraft?.(value);
  };
  const change = (value: number) => {
    show(value);
    clearTimeout(timer.current);
    const own = setTimeout(() => {
      void newest.current.onChange(value).finally(() => {
        if (timer.current === own) show(null);
      });
    }, REST_MS);
    timer.current = own;
  };
  const shown = Math.min(draft ?? props.value, props.max);
  return (
    <input
      type="range"
      min={0}
      max={props.max}
      step={props.step ?? 1}
      value={shown}
      disabled={props.disabled}
      aria-label={props.label}
      aria-valuetext={props.say(shown)}
      onChange={(event) => change(event.target.valueAsNumber)}
      className={cx("h-6 min-w-0 cursor-pointer accent-accent disabled:cursor-not-allowed", props.className)}
    />
  );
}

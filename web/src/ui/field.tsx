import { type ComponentProps, useEffect, useId, useRef } from "react";
import { cx } from "./cx";

const BOX =
  "w-full rounded-md border border-line-strong bg-field px-3 text-ink placeholder:text-muted disabled:opacity-60";

interface Labelled {
  label: string;
  /** The label is read aloud but not shown. */
  hideLabel?: boolean;
  hint?: string;
}

export function Input({ label, hideLabel, hint, className, ...rest }: ComponentProps<"input"> & Labelled) {
  const own = useId();
  const id = rest.id ?? own;
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block text-[13px] text-muted"}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={cx(BOX, "h-9 text-sm")}
      />
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

export function Textarea({
  label,
  hideLabel,
  hint,
  className,
  grows,
  ...rest
}: ComponentProps<"textarea"> & Labelled & { grows?: boolean }) {
  const own = useId();
  const id = rest.id ?? own;
  const box = useRef<HTMLTextAreaElement>(null);
  const { value } = rest;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useEffect(() => {
    const element = box.current;
    if (!grows || !element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, 240)}px`;
  }, [value, grows]);
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block text-[13px] text-muted"}>
        {label}
      </label>
      <textarea
        rows={3}
        {...rest}
        ref={box}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={cx(BOX, "block resize-none py-2 text-[15px] leading-relaxed")}
      />
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

export function Select({
  label,
  hideLabel,
  className,
  children,
  ...rest
}: ComponentProps<"select"> & Labelled) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block text-[13px] text-muted"}>
        {label}
      </label>
      <select {...rest} id={id} className={cx(BOX, "h-9 text-sm")}>
        {children}
      </select>
    </div>
  );
}

import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx";

type Tone = "plain" | "primary" | "danger" | "ghost";

const TONES: Record<Tone, string> = {
  plain: "bg-raised text-ink border-line hover:border-line-strong",
  primary: "bg-accent text-on-accent border-transparent hover:brightness-110 font-semibold",
  danger: "bg-transparent text-fail border-fail/60 hover:bg-fail-soft",
  ghost: "bg-transparent text-muted border-transparent hover:text-ink hover:bg-raised",
};

export interface ButtonProps extends ComponentProps<"button"> {
  tone?: Tone;
  size?: "s" | "m";
  /** Shows that it is being done, and takes no second press. */
  busy?: boolean;
  icon?: ReactNode;
}

export function Button({
  tone = "plain",
  size = "m",
  busy = false,
  icon,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cx(
        "inline-flex items-center justify-center gap-1.5 rounded-md border whitespace-nowrap transition-colors",
        "disabled:cursor-not-allowed disabled:opacity-55",
        size === "s" ? "min-h-7 px-2 text-[13px]" : "min-h-9 px-3 text-sm",
        TONES[tone],
        className,
      )}
    >
      {busy ? <LoaderCircle aria-hidden className="size-4 spin" /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
  /** What it does; also its tooltip. */
  label: string;
  icon: ReactNode;
}

/** A button that is only a picture; its label is read aloud and shown on hover. */
export function IconButton({ label, icon, className, tone = "ghost", ...rest }: IconButtonProps) {
  return (
    <Button {...rest} tone={tone} aria-label={label} title={label} className={cx("min-w-9 !px-0", className)}>
      {icon}
    </Button>
  );
}

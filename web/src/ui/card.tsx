import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx";

/** A quiet surface. */
export function Card({ className, ...rest }: ComponentProps<"section">) {
  return (
    <section
      {...rest}
      className={cx("overflow-hidden rounded-xl border border-line bg-surface", className)}
    />
  );
}

/** The head of a card or a part of a screen: a title, what belongs to it, and what can be done. */
export function CardHead({
  title,
  id,
  note,
  children,
}: {
  title: string;
  id?: string;
  note?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 pt-3 pb-2">
      <h2 id={id} className="text-sm font-semibold tracking-wide text-ink">
        {title}
      </h2>
      {note && <div className="text-[13px] text-muted">{note}</div>}
      {children && <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}

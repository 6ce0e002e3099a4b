import type { ReactNode } from "react";
import { cx } from "./cx";

/** The frame of a screen: its name, what belongs to it, its content. The content scrolls by itself unless told not to. */
export function Screen(props: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  fixed?: boolean;
}) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-4 pb-3 sm:px-6 short:pt-2 short:pb-1">
        <h1 className="text-lg font-semibold tracking-tight text-ink">{props.title}</h1>
        {props.note && <div className="min-w-0 text-[13px] text-muted">{props.note}</div>}
        {props.actions && <div className="ml-auto flex flex-wrap items-center gap-2">{props.actions}</div>}
      </header>
      {/* What scrolls is reached by the keyboard. */}
      <div
        tabIndex={props.fixed ? undefined : 0}
        className={cx("min-h-0 flex-1 px-4 sm:px-6", props.fixed ? "flex flex-col" : "overflow-y-auto pb-8")}
      >
        {props.children}
      </div>
    </div>
  );
}

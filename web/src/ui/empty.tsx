import type { ReactNode } from "react";

/** Says why there is nothing and what would make something. */
export function EmptyState({
  title,
  children,
  icon,
  action,
}: {
  title: string;
  children?: ReactNode;
  icon?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      {icon && <div className="text-life">{icon}</div>}
      <p className="font-medium text-ink">{title}</p>
      {children && <div className="max-w-prose text-sm text-muted">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}

/** While something is read. */
export function Loading({ what }: { what: string }) {
  return (
    <p role="status" className="px-6 py-10 text-center text-sm text-muted">
      Reading {what}…
    </p>
  );
}

import { Component, type ReactNode } from "react";
import { ApiError, messageOf } from "@/api/errors";
import { Button } from "./button";
import { visible } from "./visible";

/** What went wrong, why, and what to do next. */
export function LoadError({
  error,
  retry,
  what,
}: {
  error: unknown;
  retry?: (() => void) | undefined;
  what?: string;
}) {
  const details = error instanceof ApiError ? error.details : [];
  return (
    <div role="alert" className="m-3 rounded-lg border border-fail/50 bg-fail-soft px-4 py-3 text-sm">
      {what && <p className="font-medium text-ink">{what}</p>}
      <p className="break-words text-ink">{visible(messageOf(error))}</p>
      {details.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-muted">
          {details.map((detail) => (
            <li key={detail.path + detail.message}>
              <code>{detail.path}</code>: {visible(detail.message)}
            </li>
          ))}
        </ul>
      )}
      {retry && (
        <Button size="s" className="mt-2" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

interface Props {
  children: ReactNode;
  /** A change of it lets the children try again. */
  at?: string;
}

/** Keeps a defect of one screen from taking the page down. */
export class ErrorBoundary extends Component<Props, { error: unknown; at: string | undefined }> {
  override state: { error: unknown; at: string | undefined } = { error: null, at: this.props.at };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  static getDerivedStateFromProps(props: Props, state: { at: string | undefined }) {
    return props.at === state.at ? null : { error: null, at: props.at };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <LoadError
        what="This part of the page failed."
        error={this.state.error}
        retry={() => this.setState({ error: null })}
      />
    );
  }
}

// Lets a browser that is signed in through, and tells any other how to get a link.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { call, onSignedOut } from "@/api/client";
import { ApiError, messageOf } from "@/api/errors";
import { sessionQuery } from "@/api/queries";
import { live } from "@/live/store";
import { Button, Input } from "@/ui";
import { Logo } from "./logo";
import { standForTelling, tellsHere } from "./notices";

export function Gate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const session = useQuery({
    ...sessionQuery,
    refetchInterval: (query) => (isAway(query.state.error) ? 2_000 : false),
  });
  const isIn = session.data !== undefined;
  useEffect(() => {
    if (!isIn) return;
    const ended = live.attend();
    live.onSignedOut = () => void client.resetQueries({ queryKey: sessionQuery.queryKey });
    const silence = onSignedOut(() => live.onSignedOut());
    live.mayRest = () => !tellsHere();
    live.stream.start();
    // A tab that rests wakes when it is the one to tell.
    const stepDown = standForTelling(() => tellsHere() && live.stream.start());
    return () => {
      stepDown();
      silence();
      ended();
      live.stream.stop();
    };
  }, [isIn, client]);
  if (isIn) return children;
  if (session.isPending) return <Door title="Connecting…" />;
  if (isAway(session.error)) {
    const isLoading = session.error instanceof ApiError && session.error.code === "loading";
    return (
      <Door title={isLoading ? "The keeper reads its ledger…" : "The keeper cannot be reached"}>
        <p>It is asked again every two seconds. `abide up` starts it; `abide status` says how it is.</p>
      </Door>
    );
  }
  return <SignIn onDone={() => void client.invalidateQueries({ queryKey: sessionQuery.queryKey })} />;
}

/** Anything but "not signed in": it may pass by itself. */
function isAway(error: unknown): boolean {
  return error !== null && error !== undefined && !(error instanceof ApiError && error.status === 401);
}

function SignIn({ onDone }: { onDone: () => void }) {
  const [code, setCode] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState(() =>
    location.hash === "#expired" ? "That link was used already, or is older than five minutes." : "",
  );
  const signIn = async () => {
    setBusy(true);
    try {
      await call("POST /session", { body: { code: await codeOf(code.trim()) } });
      history.replaceState(null, "", location.pathname + location.search);
      onDone();
    } catch (error) {
      setTrouble(
        error instanceof ApiError && error.status === 401
          ? TOKEN.test(code.trim())
            ? "This token is not one of this keeper's, was revoked, or has ended."
            : "This code was used, is older than five minutes, or is not one of this keeper's."
          : messageOf(error),
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <Door title="Sign in">
      <p>Run this where the keeper runs, and open the address that it prints:</p>
      <pre className="code my-3 select-all">abide token link</pre>
      <p>
        The link works once, within five minutes. Its code can be pasted here as well, and so can a token (
        <code>abide token create</code>).
      </p>
      <form
        className="mt-4 flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <Input
          className="flex-1"
          label="Code, link or token"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Button tone="primary" type="submit" busy={isBusy}>
          Sign in
        </Button>
      </form>
      <p role="alert" className="mt-2 min-h-5 text-fail">
        {trouble}
      </p>
    </Door>
  );
}

/** How a named token begins. */
const TOKEN = /^abd_/;

/** The single-use code in what was pasted: a code, a whole link, or a token, which gets a code for itself. */
async function codeOf(pasted: string): Promise<string> {
  if (!TOKEN.test(pasted)) return pasted.replace(/^.*[?&]code=/, "");
  const headers = { Authorization: `Bearer ${pasted}` };
  return (await call("POST /session/links", { headers })).code;
}

function Door({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-md rounded-2xl border border-line bg-surface p-6 text-sm text-muted">
        <div className="mb-4 flex items-center gap-3 text-ink">
          <Logo isLive={false} />
          <h1 className="text-lg font-semibold">{title}</h1>
        </div>
        {children}
      </div>
    </main>
  );
}

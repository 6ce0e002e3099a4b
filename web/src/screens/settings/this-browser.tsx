import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Copy, Link2, LogOut } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { LinkView } from "@/api/generated";
import { sessionQuery } from "@/api/queries";
import { copyText } from "@/app/copy";
import { setTheme, THEME_NAMES, THEMES, useTheme } from "@/app/theme";
import { toastError } from "@/app/toasts";
import { Button, Card, CardHead, Confirm, span } from "@/ui";
import { CommandLine } from "./command-line";

const ACCESS: Record<string, string> = {
  browser: "This browser is signed in by a link; the keeper knows it by a cookie that scripts cannot read.",
  token: "This page carries the token of the home.",
  open: "This keeper asks nobody to sign in: it listens to this machine alone.",
};

/** Who is signed in, and how others are. */
export function Sessions() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery);
  const [link, setLink] = useState<LinkView | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const make = () =>
    call("POST /session/links").then(setLink, (error) => toastError("No link could be made", error));
  const leave = async () => {
    try {
      await call("DELETE /session");
    } catch (error) {
      toastError("The browser is still signed in", error);
      return;
    }
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    location.assign("/");
  };
  return (
    <Card aria-labelledby="sessions-title">
      <CardHead id="sessions-title" title="Signed in" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        <p className="text-[13px] text-ink">
          {ACCESS[session.data?.access ?? ""] ?? "It is not known how this page is signed in."}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button icon={<Link2 aria-hidden className="size-4" />} onClick={() => void make()}>
            Link for another browser
          </Button>
          {session.data?.access === "browser" && (
            <Button
              tone="danger"
              icon={<LogOut aria-hidden className="size-4" />}
              onClick={() => setLeaving(true)}
            >
              Sign out
            </Button>
          )}
        </div>
        {link && (
          <div role="status" className="rounded-md bg-raised px-3 py-2 text-[13px]">
            <p className="break-all text-ink">{link.link}</p>
            <p className="mt-1 text-muted">
              It works once, within {span(link.expires_in_s)}. Whoever opens it is signed in.
            </p>
            <Button
              size="s"
              className="mt-2"
              icon={<Copy aria-hidden className="size-3.5" />}
              onClick={() => void copyText(link.link, "The link")}
            >
              Copy
            </Button>
          </div>
        )}
        <ul>
          <CommandLine command="abide token link">The same at the command line.</CommandLine>
          <CommandLine command="abide token create --name NAME">
            A further token, for a program; <code>abide token ls</code> lists them,{" "}
            <code>abide token revoke</code> ends one at once.
          </CommandLine>
        </ul>
        <Confirm
          open={isLeaving}
          onOpenChange={setLeaving}
          title="Sign this browser out?"
          act="Sign out"
          onAct={() => void leave()}
        >
          To come back you need a link of <code>abide token link</code>, or the token of the home.
        </Confirm>
      </div>
    </Card>
  );
}

export function Colours() {
  const theme = useTheme();
  return (
    <Card aria-labelledby="colours-title">
      <CardHead id="colours-title" title="Colours" note="kept in this browser" />
      <fieldset className="flex flex-wrap gap-x-5 gap-y-2 px-4 pb-4">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((one) => (
          <label key={one} className="flex items-center gap-2 text-sm text-ink">
            <input
              type="radio"
              name="theme"
              className="size-4 accent-accent"
              checked={theme === one}
              onChange={() => setTheme(one)}
            />
            {THEME_NAMES[one]}
          </label>
        ))}
      </fieldset>
    </Card>
  );
}

// A console of the command language: as anybody, with what is known to complete it and mistakes shown at their place.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Eraser } from "lucide-react";
import { useState } from "react";
import { useCommands } from "@/app/commands";
import { useConnection } from "@/live/store";
import { Button, Screen } from "@/ui";
import { Grants } from "./grants";
import { HelpPanel } from "./help-panel";
import { useNames } from "./names";
import { Output } from "./output";
import { Prompt, type Put } from "./prompt";
import { carryOut, clearEntries, useEntries } from "./transcript";

const SELF = "@user";

export function StdoutScreen() {
  const search = useSearch({ from: "/stdout" });
  const navigate = useNavigate({ from: "/stdout" });
  const names = useNames();
  const entries = useEntries();
  const isOff = useConnection().phase === "offline";
  const as = search.as ?? SELF;
  const [put, setPut] = useState<Put>({ text: search.command ?? "", n: search.command ? 1 : 0 });
  const take = (text: string, place?: number | null) =>
    setPut((old) => ({ text, n: old.n + 1, ...(place == null ? {} : { place }) }));
  const isBusy = entries.some((entry) => entry.output === null);
  const setAs = (next: string) =>
    void navigate({ search: (old) => ({ ...old, as: next || undefined }), replace: true });
  useCommands([
    {
      id: "stdout:write",
      label: "Write a command",
      group: "Log",
      keys: "i",
      run: () => document.getElementById("command")?.focus(),
    },
    { id: "stdout:clear", label: "Clear the output", group: "Log", run: clearEntries },
  ]);
  return (
    <Screen
      title="Log"
      note="\\stdout: notes, questions and messages, by commands"
      fixed
      actions={
        <Button
          size="s"
          disabled={entries.length === 0}
          icon={<Eraser aria-hidden className="size-3.5" />}
          onClick={clearEntries}
        >
          Clear
        </Button>
      }
    >
      <div
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto pb-4 lg:grid lg:grid-cols-[minmax(0,1fr)_22rem] lg:overflow-hidden"
      >
        <div className="flex min-h-[22rem] min-w-0 shrink-0 flex-col gap-3 lg:min-h-0">
          <Output entries={entries} onAgain={(entry, place) => take(entry.command, place)} />
          <Prompt
            as={as}
            onAs={setAs}
            names={names}
            put={put}
            isBusy={isBusy}
            onRun={(command) => void carryOut(as, command)}
          />
          {isOff && (
            <p role="status" className="text-[13px] text-muted">
              Offline: no command runs until the keeper answers again.
            </p>
          )}
        </div>
        <div tabIndex={0} className="flex min-w-0 flex-col gap-4 lg:overflow-y-auto">
          <HelpPanel onTake={take} />
          <Grants />
        </div>
      </div>
    </Screen>
  );
}

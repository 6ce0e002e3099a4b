import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Sparkles } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { AttentionView } from "@/api/generated";
import { attentionQuery } from "@/api/queries";
import { putAside, SNOOZES, useMatters } from "@/app/aside";
import { useCommands } from "@/app/commands";
import { usePreferredAgent } from "@/app/preferred-agent";
import { toast } from "@/app/toasts";
import { useAgent } from "@/live/hooks";
import { useLive } from "@/live/store";
import { Button, Card, CardHead, EmptyState, LoadError, Loading } from "@/ui";
import { PutAside } from "./aside-list";
import { BulkBar } from "./bulk";
import { groupsOf } from "./groups";
import { rowId } from "./matter";
import { MatterGroupView } from "./matter-group";
import { byUrgency, endsByItself } from "./urgency";

/** What needs somebody, gone through by keys: J and K move, E puts aside, S snoozes, X chooses, A and D decide. */
export function Inbox() {
  const attention = useQuery(attentionQuery);
  const { open, aside } = useMatters(attention.data?.items);
  const groups = useMemo(() => groupsOf(byUrgency(open)), [open]);
  const matters = useMemo(() => groups.flatMap((group) => group.matters), [groups]);
  const [currentId, setCurrentId] = useState<string | null>(null);
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = matters.filter((one) => chosenIds.has(one.id));
  const at = matters.findIndex((one) => one.id === currentId);
  const current = matters[at];
  useNamedMatter(matters, setCurrentId);
  const toRow = (id: string | undefined) => {
    if (!id) return;
    setCurrentId(id);
    document.getElementById(rowId(id))?.focus();
  };
  const step = (by: number) => {
    const next = at < 0 ? (by > 0 ? 0 : matters.length - 1) : at + by;
    toRow(matters[Math.max(0, Math.min(next, matters.length - 1))]?.id);
  };
  const away = (all: readonly AttentionView[], until?: number) => {
    if (all.length === 0) return;
    const next =
      matters.slice(at + 1).find((one) => !all.includes(one)) ?? matters.find((one) => !all.includes(one));
    const undo = putAside(all, until);
    setChosenIds(new Set());
    const what = all.length === 1 ? "One matter is" : `${all.length} matters are`;
    toast({
      title: until === undefined ? `${what} put aside in this browser` : `${what} snoozed in this browser`,
      undo: { label: "Undo", run: undo },
    });
    setTimeout(() => toRow(next?.id), 0);
  };
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosenIds((before) => {
      const next = new Set(before);
      for (const id of ids) isChosen ? next.add(id) : next.delete(id);
      return next;
    });
  /** Presses a button of the current matter; one that is not the obvious thing is only led to. */
  const press = (label: string) => {
    const row = current && document.getElementById(rowId(current.id));
    const button = row?.querySelector<HTMLButtonElement>(`[data-act="${label}"]`);
    if (!button) return;
    if (label === "Approve" && button.dataset.calm === "true") button.focus();
    else button.click();
  };
  const meant = () => (chosen.length > 0 ? chosen : current ? [current] : []);
  useCommands(
    matters.length === 0
      ? []
      : [
          { id: "inbox:next", label: "Next matter", group: "Inbox", keys: "j", run: () => step(1) },
          { id: "inbox:before", label: "Matter before", group: "Inbox", keys: "k", run: () => step(-1) },
          { id: "inbox:aside", label: "Put aside", group: "Inbox", keys: "e", run: () => away(meant()) },
          {
            id: "inbox:snooze",
            label: "Snooze for 1 hour",
            group: "Inbox",
            keys: "s",
            // What ends by itself is not put off.
            run: () =>
              away(
                meant().filter((one) => !endsByItself(one.kind)),
                SNOOZES[0].until(new Date()),
              ),
          },
          {
            id: "inbox:choose",
            label: "Choose, or not",
            group: "Inbox",
            keys: "x",
            run: () => current && choose([current.id], !chosenIds.has(current.id)),
          },
          { id: "inbox:approve", label: "Approve", group: "Inbox", keys: "a", run: () => press("Approve") },
          { id: "inbox:deny", label: "Deny", group: "Inbox", keys: "d", run: () => press("Deny") },
        ],
  );
  return (
    <Card aria-labelledby="inbox-title">
      <CardHead
        id="inbox-title"
        title="Needs your decision"
        note={matters.length > 0 ? `${matters.length} open, the most urgent first` : undefined}
      />
      {attention.isPending && <Loading what="what waits" />}
      {attention.isError && (
        <LoadError
          what="The list could not be loaded."
          error={attention.error}
          retry={() => void attention.refetch()}
        />
      )}
      {attention.data && matters.length === 0 && (
        <EmptyState
          title={aside.length > 0 ? "Nothing else needs you" : "Nothing needs you"}
          icon={<Sparkles aria-hidden className="size-7" />}
          action={<Begin />}
        >
          Approvals, stalls, failed epochs, spent budgets, failed sleeps and proposals about an identity would
          stand here, each with what can be done. Tools that ask first are named in <code>[tools] ask</code>.
        </EmptyState>
      )}
      {chosen.length > 0 && (
        <BulkBar
          chosen={chosen}
          onDone={() => setChosenIds(new Set())}
          onAside={(until) => away(chosen, until)}
        />
      )}
      {matters.length > 0 && (
        <ul aria-label="Needs attention" className="divide-y divide-line border-t border-line">
          {groups.map((group) => (
            <MatterGroupView
              key={group.id}
              group={group}
              current={currentId}
              chosen={chosenIds}
              onCurrent={setCurrentId}
              onChosen={choose}
              onAside={away}
            />
          ))}
        </ul>
      )}
      <PutAside matters={aside} />
    </Card>
  );
}

/** A link of a notice names its matter (`/#matter-…`): once the list is there, that one is gone to. */
function useNamedMatter(matters: readonly AttentionView[], onNamed: (id: string) => void): void {
  const named = useRef(location.hash.slice(1));
  useEffect(() => {
    const matter = matters.find((one) => rowId(one.id) === named.current);
    if (!matter) return;
    named.current = "";
    onNamed(matter.id);
    document.getElementById(rowId(matter.id))?.focus();
  }, [matters, onNamed]);
}

/** At a first start: what to do next. */
function Begin() {
  const agent = usePreferredAgent();
  const isNew = useLive((state) => state.base >= 0 && Object.keys(state.epochs).length === 0);
  const name = useAgent(agent ?? "")?.name;
  const navigate = useNavigate();
  if (!isNew || !agent) return null;
  return (
    <Button
      tone="primary"
      onClick={() => void navigate({ to: "/chat/$agent", params: { agent }, search: {} })}
    >
      Say something to {name ?? agent}
    </Button>
  );
}

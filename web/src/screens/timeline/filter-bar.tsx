import { CornerDownLeft, Pause, Play, Search } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { toastError } from "@/app/toasts";
import { nameOf } from "@/live/event";
import { useAgents } from "@/live/hooks";
import { Button, IconButton, Input, Select } from "@/ui";
import { DEPTHS, GROUPS } from "./filter";
import type { Axis, TimelineSearch } from "./search";
import { type Target, targetOf } from "./seek";

/** A search begins when nothing was typed for so long. */
const TYPED_MS = 250;

interface Props {
  search: TimelineSearch;
  onSearch: (change: Partial<TimelineSearch>) => void;
  isPaused: boolean;
  onPause: () => void;
  onGo: (target: Target) => Promise<void>;
}

export function FilterBar({ search, onSearch, isPaused, onPause, onGo }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <AgentSelect value={search.agent} onChange={(agent) => onSearch({ agent })} />
      <KindSelect value={search.kind} onChange={(kind) => onSearch({ kind })} />
      <Words value={search.q ?? ""} onChange={(q) => onSearch({ q: q || undefined })} />
      <GoTo onGo={onGo} />
      <Select
        label="Scale"
        hideLabel
        className="w-24"
        value={search.axis ?? "time"}
        onChange={(event) =>
          onSearch({ axis: event.target.value === "tick" ? ("tick" satisfies Axis) : undefined })
        }
      >
        <option value="time">Time</option>
        <option value="tick">Ticks</option>
      </Select>
      <Button
        aria-pressed={isPaused}
        icon={isPaused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
        onClick={onPause}
      >
        {isPaused ? "Go on" : "Pause"}
      </Button>
    </div>
  );
}

interface Choice {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function AgentSelect({ value, onChange }: Choice) {
  const agents = useAgents().map((agent) => agent.id);
  const chosen = value && nameOf(value);
  const known = [...agents, "keeper"];
  return (
    <Select
      label="Agent"
      hideLabel
      className="min-w-0 grow basis-32 sm:max-w-44 sm:grow-0"
      value={chosen ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">Everybody</option>
      {chosen && !known.includes(chosen) && <option value={chosen}>{chosen}</option>}
      {known.map((id) => (
        <option key={id} value={id}>
          {id === "keeper" ? "the keeper" : id}
        </option>
      ))}
    </Select>
  );
}

function KindSelect({ value, onChange }: Choice) {
  const isOffered =
    !value ||
    DEPTHS.some((depth) => depth.kinds === value) ||
    [...GROUPS].some(([group, kinds]) => value === `${group}.*` || kinds.some((kind) => kind === value));
  return (
    <Select
      label="Kinds of events"
      hideLabel
      className="min-w-0 grow basis-32 sm:max-w-56 sm:grow-0 sm:basis-52"
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">Every event</option>
      {!isOffered && <option value={value}>{value}</option>}
      <optgroup label="Detail">
        {DEPTHS.map((depth) => (
          <option key={depth.kinds} value={depth.kinds}>
            {depth.label}
          </option>
        ))}
      </optgroup>
      {[...GROUPS].map(([group, kinds]) => (
        <optgroup key={group} label={group}>
          {kinds.length > 1 && <option value={`${group}.*`}>{group}: all</option>}
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}

function Words({ value, onChange }: { value: string; onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useRef(onChange);
  send.current = onChange;
  // The address may change by other ways than by typing.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      send.current(typed);
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className="relative min-w-0 grow basis-40 sm:max-w-64">
      <Search aria-hidden className="absolute top-2.5 left-2.5 size-4 text-muted" />
      <Input
        id="timeline-find"
        label="Search in all events"
        hideLabel
        type="search"
        placeholder="Search"
        maxLength={200}
        className="[&_input]:pl-8"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          if (typed) setTyped("");
          else event.currentTarget.blur();
        }}
      />
    </div>
  );
}

function GoTo({ onGo }: { onGo: (target: Target) => Promise<void> }) {
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const target = targetOf(typed, new Date());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!target) {
      toastError("There is no such place", new Error("Write #120, t 42, 15:30 or 2026-01-31 15:30."));
      return;
    }
    setBusy(true);
    onGo(target)
      .then(() => setTyped(""))
      .catch((error) => toastError("The place could not be found", error))
      .finally(() => setBusy(false));
  };
  return (
    <form className="flex min-w-0 grow basis-36 gap-1 sm:max-w-48" onSubmit={submit}>
      <Input
        label="Go to an event, a tick or a time"
        hideLabel
        placeholder="#120, t 42, 15:30"
        className="min-w-0 flex-1"
        maxLength={40}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <IconButton
        type="submit"
        label="Go there"
        busy={isBusy}
        icon={<CornerDownLeft aria-hidden className="size-4" />}
      />
    </form>
  );
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { VersionView } from "@/api/generated";
import { Badge, Button, Card, CardHead, LoadError, Loading, Select, Time } from "@/ui";
import { useAddress } from "./address";
import { readDiff } from "./diff";
import { DiffView } from "./diff-view";
import { Choice, More } from "./parts";
import { diffQuery } from "./queries";
import { restoreVersion, sourceWord } from "./restore";

interface Pages {
  isPending: boolean;
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Every version that ever was, the newest first. */
export function Versions(props: { agent: string; versions: readonly VersionView[]; pages: Pages }) {
  const { agent, versions, pages } = props;
  const current = versions.find((one) => one.current)?.version ?? 0;
  return (
    <Card aria-labelledby="versions-title">
      <CardHead id="versions-title" title="Versions" note="none is ever overwritten" />
      {pages.isPending && <Loading what="the versions" />}
      {pages.isError && (
        <LoadError
          what="The versions could not be loaded."
          error={pages.error}
          retry={() => void pages.refetch()}
        />
      )}
      <ul
        tabIndex={0}
        aria-label="Versions of the identity"
        className="max-h-96 divide-y divide-line overflow-y-auto border-t border-line"
      >
        {versions.map((one) => (
          <Version key={one.seq} agent={agent} one={one} current={current} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <div className="border-t border-line px-4 py-2">
          <More pages={pages} />
        </div>
      )}
    </Card>
  );
}

function Version({ agent, one, current }: { agent: string; one: VersionView; current: number }) {
  const [search, set] = useAddress();
  const client = useQueryClient();
  const isRead = search.version === one.version || (search.version === undefined && one.current);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-[13px] text-muted">
      <span className="font-medium text-ink">Version {one.version}</span>
      {one.current && <Badge tone="life">in force</Badge>}
      <span>
        {sourceWord(one.source)}
        {one.source !== "profile" && ` (${one.author})`}
      </span>
      <Time at={one.updated_at} />
      <Link to="/timeline" search={{ seq: one.seq }}>
        line {one.seq}
      </Link>
      <span className="ml-auto flex gap-1">
        <Choice
          tone="ghost"
          chosen={isRead}
          aria-label={`Read version ${one.version}`}
          onClick={() => set({ version: one.current ? undefined : one.version }, { push: true })}
        >
          Read
        </Choice>
        {!one.current && (
          <>
            <Button
              size="s"
              tone="ghost"
              aria-label={`Compare version ${one.version} with the one in force`}
              onClick={() => set({ from: one.version, to: current })}
            >
              Compare
            </Button>
            <Button
              size="s"
              aria-label={`Restore version ${one.version}`}
              onClick={() => void restoreVersion(client, agent, one.version, current)}
            >
              Restore
            </Button>
          </>
        )}
      </span>
    </li>
  );
}

/** Any two versions beside each other. */
export function Comparison(props: { agent: string; versions: readonly VersionView[]; current: number }) {
  const { versions, current } = props;
  const [search, set] = useAddress();
  if (current < 2 && search.from === undefined) return null;
  const to = search.to ?? current;
  const from = search.from ?? Math.max(1, to - 1);
  const choice = (label: string, value: number, onChoose: (version: number) => void) => (
    <Select
      label={label}
      className="w-44"
      value={value}
      onChange={(event) => onChoose(Number(event.target.value))}
    >
      {!versions.some((one) => one.version === value) && <option value={value}>Version {value}</option>}
      {versions.map((one) => (
        <option key={one.seq} value={one.version}>
          Version {one.version}
          {one.current && " (in force)"}
        </option>
      ))}
    </Select>
  );
  return (
    <Card aria-labelledby="comparison-title">
      <CardHead id="comparison-title" title="Compare" />
      <div className="flex flex-wrap items-end gap-3 px-4 pb-3">
        {choice("From", from, (version) => set({ from: version, to }))}
        {choice("To", to, (version) => set({ from, to: version }))}
        <Button onClick={() => set({ from: to, to: from })}>Swap</Button>
      </div>
      <Difference agent={props.agent} from={from} to={to} />
    </Card>
  );
}

function Difference({ agent, from, to }: { agent: string; from: number; to: number }) {
  const found = useQuery(diffQuery(agent, from, to));
  const lines = useMemo(() => readDiff(found.data?.diff ?? ""), [found.data]);
  if (found.isPending) return <Loading what="both versions" />;
  if (found.isError) {
    return (
      <LoadError
        what="The versions cannot be compared."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  return <DiffView lines={lines} label={`From version ${from} to version ${to}`} />;
}

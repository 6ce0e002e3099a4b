import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call } from "@/api/client";
import { later, undoable } from "@/app/undo";
import { Badge, Button, Card, CardHead, cx, EmptyState, LoadError, Loading, PlainText } from "@/ui";
import {
  type EdgeGroup,
  edgeWord,
  type GraphNode,
  grouped,
  type Neighbour,
  neighboursOf,
  nodeOf,
  typeWord,
} from "./graph-model";
import { Neighbourhood } from "./neighbourhood";
import { Sources, Validity } from "./parts";
import { edgesQuery, nodeQuery } from "./queries";

interface Props {
  agent: string;
  id: string;
  /** Also edges that held once. */
  past: boolean;
  onOpen: (id: string) => void;
}

/** One node with everything that hangs on it. */
export function NodeInspector({ agent, id, past, onOpen }: Props) {
  const found = useQuery(nodeQuery(agent, id));
  const edges = useQuery(edgesQuery(agent, id, past));
  const versions = useMemo(() => found.data?.versions.map(nodeOf).reverse() ?? [], [found.data]);
  const neighbours = useMemo(() => neighboursOf(id, edges.data?.items ?? []), [id, edges.data]);
  if (found.isPending) return <Loading what={id} />;
  if (found.isError) {
    return (
      <LoadError what={`${id} could not be loaded.`} error={found.error} retry={() => void found.refetch()} />
    );
  }
  const shown = found.data.current ? nodeOf(found.data.current) : versions[0];
  if (!shown) return <EmptyState title="This node has no version" />;
  return (
    <div className="flex flex-col gap-5">
      <Card aria-labelledby="node-title">
        <CardHead id="node-title" title={shown.id} note={<Badge>{typeWord(shown.type)}</Badge>}>
          {!shown.validTo && <CloseNode agent={agent} id={id} />}
        </CardHead>
        <Stamps agent={agent} node={shown} />
        <Fields node={shown} />
      </Card>
      <Card aria-labelledby="neighbours-title">
        <CardHead
          id="neighbours-title"
          title="Neighbours"
          note={edges.data?.next ? `${neighbours.length}, and there are more` : String(neighbours.length)}
        />
        {edges.isError && (
          <LoadError
            what="Edges could not be loaded."
            error={edges.error}
            retry={() => void edges.refetch()}
          />
        )}
        {edges.data && neighbours.length === 0 && (
          <p className="px-4 pb-3 text-sm text-muted">
            No edge leads here or away. With <code>abide memory graph link FROM EDGE TO</code> one would.
          </p>
        )}
        {neighbours.length > 0 && (
          <>
            <Neighbourhood id={id} neighbours={neighbours} />
            {grouped(neighbours).map((group) => (
              <Group
                key={`${group.isOut} ${group.edge}`}
                agent={agent}
                id={id}
                group={group}
                onOpen={onOpen}
              />
            ))}
          </>
        )}
      </Card>
      {versions.length > 1 && <History agent={agent} versions={versions} />}
    </div>
  );
}

function Stamps({ agent, node }: { agent: string; node: GraphNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 pb-2 text-xs text-muted">
      <Validity from={node.validFrom} to={node.validTo} />
      <span>recorded by {node.author}</span>
      <Sources agent={agent} sources={node.sources} seq={node.seq} />
    </div>
  );
}

function Fields({ node }: { node: GraphNode }) {
  if (node.fields.length === 0) return null;
  return (
    <dl className="border-t border-line px-4 py-3 text-sm">
      {node.fields.map((field) => (
        <div key={field.name} className="mb-2 last:mb-0">
          <dt className="text-xs text-muted">{field.name}</dt>
          <dd className="text-ink">
            <PlainText text={field.value.slice(0, 8_000)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Group(props: { agent: string; id: string; group: EdgeGroup; onOpen: (id: string) => void }) {
  const { group } = props;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? group.neighbours : group.neighbours.slice(0, 20);
  return (
    <section className="border-t border-line px-4 py-2" aria-label={edgeWord(group.edge)}>
      <h3 className="text-[13px] text-muted">
        {group.isOut ? edgeWord(group.edge) : `${edgeWord(group.edge)}, from`}
      </h3>
      <ul>
        {shown.map((one) => (
          <NeighbourLine key={one.seq} agent={props.agent} id={props.id} one={one} onOpen={props.onOpen} />
        ))}
      </ul>
      {shown.length < group.neighbours.length && (
        <button type="button" className="md-more" onClick={() => setWhole(true)}>
          Show all {group.neighbours.length}
        </button>
      )}
    </section>
  );
}

function NeighbourLine(props: { agent: string; id: string; one: Neighbour; onOpen: (id: string) => void }) {
  const { agent, id, one } = props;
  const client = useQueryClient();
  const [from, to] = one.isOut ? [id, one.id] : [one.id, id];
  const refresh = () => client.invalidateQueries({ queryKey: ["graph"] });
  const unlink = () =>
    undoable({
      done: `The edge to ${one.id} is closed`,
      run: async () => {
        await call("DELETE /memory/graph/edges", { query: { citizen: agent, from, edge: one.edge, to } });
        await refresh();
      },
      undo: async () => {
        await call("POST /memory/graph/edges", {
          body: {
            citizen: agent,
            from,
            edge: one.edge,
            to,
            valid_from: one.validFrom,
            ...(one.way ? { dependency_type: one.way } : {}),
          },
        });
        await refresh();
      },
    });
  return (
    <li className="flex flex-wrap items-center gap-x-3 text-[13px] text-muted">
      <button
        type="button"
        className={cx(
          "py-1 text-left font-medium break-all text-ink underline",
          one.validTo && "line-through",
        )}
        onClick={() => props.onOpen(one.id)}
      >
        {one.id}
      </button>
      {one.way && <span>{one.way}</span>}
      <Validity from={one.validFrom} to={one.validTo} />
      <Sources agent={agent} sources={[]} seq={one.seq} />
      {!one.validTo && (
        <Button
          size="s"
          tone="ghost"
          className="ml-auto"
          aria-label={`Close the edge ${edgeWord(one.edge)} between ${from} and ${to}`}
          onClick={() => void unlink()}
        >
          Unlink
        </Button>
      )}
    </li>
  );
}

/** Closing a node closes its edges with it, which nothing brings back as they were: it can be called off for a moment. */
function CloseNode({ agent, id }: { agent: string; id: string }) {
  const client = useQueryClient();
  const [isGoing, setGoing] = useState(false);
  const close = async () => {
    setGoing(true);
    const isDone = await later({
      doing: `Closing ${id} and its edges`,
      run: () => call("DELETE /memory/graph/nodes/{id}", { path: { id }, query: { citizen: agent } }),
    });
    if (isDone) await client.invalidateQueries({ queryKey: ["graph"] });
    setGoing(false);
  };
  return (
    <Button
      size="s"
      tone="danger"
      busy={isGoing}
      title="It and its edges hold no longer from now on; their versions stay"
      onClick={() => void close()}
    >
      No longer true
    </Button>
  );
}

function History({ agent, versions }: { agent: string; versions: readonly GraphNode[] }) {
  return (
    <Card aria-labelledby="node-versions">
      <CardHead id="node-versions" title="Versions" note={`${versions.length}, the newest first`} />
      <ul className="divide-y divide-line border-t border-line">
        {versions.slice(0, 200).map((version) => (
          <li key={version.seq} className="pt-2">
            <details>
              <summary className="cursor-pointer px-4 pb-2 text-[13px] break-words text-ink">
                {version.about.slice(0, 200) || version.id}
              </summary>
              <Fields node={version} />
            </details>
            <Stamps agent={agent} node={version} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

// How what an agent knows hangs together: nodes of ten types, the edges between them, and for how long each held.
import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowLeft, Download, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { call } from "@/api/client";
import { copyText } from "@/app/copy";
import { toastError } from "@/app/toasts";
import { Badge, Button, cx, EmptyState, LoadError, Loading, Select, VirtualList, visible } from "@/ui";
import { useAddress } from "./address";
import { type GraphNode, holdsWords, NODE_TYPES, nodeOf, typeWord } from "./graph-model";
import { NodeInspector } from "./node-inspector";
import { Check, More, SearchBox } from "./parts";
import { nodesQuery } from "./queries";
import { SeedDialog } from "./seed-dialog";

export function GraphPart({ agent }: { agent: string }) {
  const [{ q = "", type, node, past = false }, set] = useAddress();
  const pages = useInfiniteQuery(
    nodesQuery(
      agent,
      NODE_TYPES.find((one) => one === type),
      past,
    ),
  );
  const [isSeeding, setSeeding] = useState(false);
  const read = useMemo(() => pages.data?.pages.flatMap((page) => page.items.map(nodeOf)) ?? [], [pages.data]);
  const shown = useMemo(() => read.filter((one) => holdsWords(one, q)), [read, q]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className={cx("flex flex-wrap items-center gap-x-3 gap-y-2 py-3", node && "max-lg:hidden")}>
        <SearchBox label="Search nodes" q={q} onSearch={(words) => set({ q: words })} />
        <Select
          label="Type"
          hideLabel
          className="min-w-36 max-sm:flex-1 sm:w-48"
          value={type ?? ""}
          onChange={(event) => set({ type: event.target.value || undefined })}
        >
          <option value="">All types</option>
          {NODE_TYPES.map((one) => (
            <option key={one} value={one}>
              {typeWord(one)}
            </option>
          ))}
        </Select>
        <Check
          label="Include the past"
          checked={past}
          onChange={(checked) => set({ past: checked || undefined })}
        />
        <span className="ml-auto flex gap-2">
          <Button
            icon={<Download aria-hidden className="size-4" />}
            onClick={() => void copyGraph(agent)}
            title="Nodes and edges in force as JSON Lines, a seed for another agent"
          >
            Copy as seed
          </Button>
          <Button icon={<Plus aria-hidden className="size-4" />} onClick={() => setSeeding(true)}>
            Record
          </Button>
        </span>
      </div>
      {pages.isError && (
        <LoadError
          what="The graph could not be loaded."
          error={pages.error}
          retry={() => void pages.refetch()}
        />
      )}
      {pages.isPending && <Loading what="the graph" />}
      {pages.data && (
        <div className="grid min-h-0 flex-1 gap-5 lg:grid-cols-[minmax(16rem,2fr)_minmax(0,3fr)]">
          <div className={cx("flex min-h-0 flex-col", node && "max-lg:hidden")}>
            {shown.length === 0 ? (
              <NoNodes isAll={!q && !type} />
            ) : (
              <VirtualList
                label="Nodes"
                items={shown}
                keyOf={(one) => one.seq}
                estimate={62}
                className="min-h-0 shrink rounded-xl border border-line bg-surface"
                render={(one) => (
                  <NodeRow
                    node={one}
                    isOpen={one.id === node}
                    onOpen={(id) => set({ node: id }, { push: true })}
                  />
                )}
              />
            )}
            <p role="status" className="flex items-center gap-3 py-2 text-[13px] text-muted">
              {shown.length} {shown.length === 1 ? "node" : "nodes"}
              {q && ` of ${read.length} read`}
              <More pages={pages} />
            </p>
          </div>
          {node ? (
            <div className="min-h-0 pb-4 lg:overflow-y-auto" tabIndex={0}>
              <Button
                size="s"
                tone="ghost"
                className="my-2 lg:hidden"
                icon={<ArrowLeft aria-hidden className="size-4" />}
                onClick={() => set({ node: undefined })}
              >
                All nodes
              </Button>
              <NodeInspector
                key={node}
                agent={agent}
                id={node}
                past={past}
                onOpen={(id) => set({ node: id }, { push: true })}
              />
            </div>
          ) : (
            read.length > 0 && (
              <div className="max-lg:hidden">
                <EmptyState title="Choose a node">
                  It is shown with its fields, its neighbours, its versions and where it stems from.
                </EmptyState>
              </div>
            )
          )}
        </div>
      )}
      {isSeeding && <SeedDialog agent={agent} onClose={() => setSeeding(false)} />}
    </div>
  );
}

function NodeRow(props: { node: GraphNode; isOpen: boolean; onOpen: (id: string) => void }) {
  const { node, isOpen } = props;
  return (
    <button
      type="button"
      aria-current={isOpen || undefined}
      onClick={() => props.onOpen(node.id)}
      className={cx(
        "block w-full border-b border-l-2 border-b-line px-4 py-2 text-left hover:bg-raised",
        isOpen ? "border-l-accent bg-raised" : "border-l-transparent",
      )}
    >
      <span className="flex flex-wrap items-center gap-x-2 text-sm">
        <span className="min-w-0 font-medium break-all text-ink">{node.id}</span>
        <Badge>{typeWord(node.type)}</Badge>
        {node.validTo && <Badge tone="wait">past</Badge>}
      </span>
      {node.about && node.about !== node.id && (
        <span dir="auto" className="line-clamp-2 text-[13px] break-words text-muted">
          {visible(node.about.slice(0, 400))}
        </span>
      )}
    </button>
  );
}

function NoNodes({ isAll }: { isAll: boolean }) {
  if (!isAll) return <EmptyState title="No match">Other types may have it, or what is past.</EmptyState>;
  return (
    <EmptyState title="The graph is empty">
      People, partnerships, technical matters, strategies, failed attempts and constraints would stand here,
      with what binds them. Agents record them in exchanges and in sleep; a person with{" "}
      <code>abide memory graph put</code> or <code>abide memory graph seed FILE</code>.
    </EmptyState>
  );
}

async function copyGraph(citizen: string): Promise<void> {
  try {
    const { lines, nodes, edges } = await call("GET /memory/graph/export", { query: { citizen } });
    await copyText(lines, `A seed of ${nodes} nodes and ${edges} edges is`);
  } catch (error) {
    toastError("The graph could not be loaded", error);
  }
}

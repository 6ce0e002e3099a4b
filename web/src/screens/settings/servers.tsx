// Servers whose tools agents use, and what of those waits for a person's yes.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import type { DroppedToolView, McpServerView, WaitingToolView } from "@/api/generated";
import { attentionQuery, serversQuery } from "@/api/queries";
import { toastError } from "@/app/toasts";
import { useBounded } from "@/screens/chat/results/bounded";
import { ChangePreview } from "@/screens/chat/results/diff";
import { Badge, type BadgeTone, Button, Card, CardHead, LoadError, visible, visibleLine } from "@/ui";

const TONES: Record<string, BadgeTone> = { ready: "life", starting: "wait", stopped: "plain" };

/** Nothing where the configuration has none. */
export function Servers() {
  const servers = useQuery(serversQuery);
  const items = servers.data?.items ?? [];
  if (!servers.isError && items.length === 0) return null;
  return (
    <Card aria-labelledby="servers-title">
      <CardHead id="servers-title" title="Tool servers" note="programs whose tools agents use" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        {servers.isError && (
          <LoadError
            what="The servers could not be loaded."
            error={servers.error}
            retry={() => void servers.refetch()}
          />
        )}
        {items.map((server) => (
          <Server key={server.id} server={server} />
        ))}
      </div>
    </Card>
  );
}

function Server({ server }: { server: McpServerView }) {
  // What went wrong before it was ready is over; what its list lacks is not.
  const problem = server.state === "ready" ? server.list_problem : server.last_error;
  return (
    <section aria-label={`Server ${server.id}`} className="min-w-0 text-[13px]">
      <p className="flex flex-wrap items-baseline gap-2">
        <Badge tone={TONES[server.state] ?? "fail"}>{server.state.replace("_", " ")}</Badge>
        <span className="font-semibold text-ink">{server.id}</span>
        <span className="min-w-0 break-words text-muted">
          {visibleLine(server.software ?? "")} {server.tools.length}{" "}
          {server.tools.length === 1 ? "tool" : "tools"}
        </span>
      </p>
      {problem && <p className="mt-1 break-words text-muted">{visible(problem)}</p>}
      {server.waiting.map((tool) => (
        <WaitingTool key={tool.digest} server={server.id} tool={tool} />
      ))}
      {server.dropped.length > 0 && <Dropped tools={server.dropped} />}
    </section>
  );
}

/** Tools that cannot be used, and why: there are many where a server is made badly. */
function Dropped({ tools }: { tools: readonly DroppedToolView[] }) {
  const { shown, rest } = useBounded({ items: [...tools], more: 0 }, 50);
  return (
    <details className="mt-1 text-muted">
      <summary className="cursor-pointer">
        {tools.length} {tools.length === 1 ? "tool" : "tools"} that cannot be used
      </summary>
      <ul className="mt-1 flex flex-col gap-1">
        {shown.map((one, at) => (
          <li key={at} className="break-words">
            <span className="text-ink">{visibleLine(one.tool)}</span>: {visible(one.reason)}
          </li>
        ))}
      </ul>
      {rest}
    </details>
  );
}

/** What a tool says about itself now, and the button that lets agents use it so. */
function WaitingTool({ server, tool }: { server: string; tool: WaitingToolView }) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const name = visibleLine(tool.tool);
  const accept = async () => {
    setBusy(true);
    try {
      const tools = [{ tool: tool.tool, digest: tool.digest }];
      await call("POST /mcp/servers/{id}/accept", { path: { id: server }, body: { tools } });
    } catch (error) {
      toastError(`${name} could not be accepted`, error);
    } finally {
      setBusy(false);
      await client.invalidateQueries({ queryKey: serversQuery.queryKey });
      await client.invalidateQueries({ queryKey: attentionQuery.queryKey });
    }
  };
  return (
    <div className="mt-2 flex min-w-0 flex-col gap-2">
      <p className="break-words">
        {name} {tool.is_new ? "is new" : "describes itself in another way than was accepted"}. Agents cannot
        use it until you accept it.
      </p>
      <ChangePreview text={tool.diff} label={`What ${name} says`} />
      {tool.is_cut && <p className="text-muted">It says more than is shown here.</p>}
      <div>
        <Button
          size="s"
          busy={isBusy}
          onClick={() => void accept()}
          aria-label={`Accept ${name} of ${server}`}
        >
          Accept
        </Button>
      </div>
    </div>
  );
}

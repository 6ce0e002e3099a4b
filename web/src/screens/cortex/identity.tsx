// Who an agent is: the document in force or an earlier version, how it came to be so, and what would change it.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { PenLine } from "lucide-react";
import { useState } from "react";
import { ApiError } from "@/api/errors";
import type { IdentityView } from "@/api/generated";
import { useCommands } from "@/app/commands";
import { Badge, Button, Card, CardHead, EmptyState, LoadError, Loading, Time } from "@/ui";
import { Markdown } from "@/ui/markdown";
import { useAddress } from "./address";
import { draftOf, IdentityEditor } from "./identity-editor";
import { Comparison, Versions } from "./identity-versions";
import { Proposals } from "./proposals";
import { identityQuery, versionsQuery } from "./queries";
import { restoreVersion, sourceWord } from "./restore";

export function IdentityPart({ agent }: { agent: string }) {
  const [search] = useAddress();
  const [isEditing, setEditing] = useState(() => draftOf(agent) !== null);
  const current = useQuery(identityQuery(agent));
  const pages = useInfiniteQuery(versionsQuery(agent));
  const versions = pages.data?.pages.flatMap((page) => page.items) ?? [];
  useCommands([
    {
      id: "cortex:edit",
      label: "Edit the identity",
      group: "Memory",
      keys: "e",
      run: () => setEditing(true),
    },
  ]);
  if (current.isPending) return <Loading what="the identity" />;
  const isMissing = current.error instanceof ApiError && current.error.status === 404;
  if (current.isError && !isMissing) {
    return (
      <LoadError
        what="The identity could not be loaded."
        error={current.error}
        retry={() => void current.refetch()}
      />
    );
  }
  if (isEditing) {
    return (
      <IdentityEditor
        agent={agent}
        current={current.data ?? null}
        onClose={() => setEditing(false)}
        onReopen={() => setEditing(true)}
      />
    );
  }
  const edit = (
    <Button icon={<PenLine aria-hidden className="size-4" />} onClick={() => setEditing(true)}>
      {isMissing ? "Write it" : "Edit"}
    </Button>
  );
  if (!current.data) {
    return (
      <EmptyState title="No identity yet" action={edit}>
        It is a document in first person that stands at the head of every prompt. A profile brings one, a
        person writes one, and sleep proposes changes. At the command line:{" "}
        <code>abide memory identity edit</code>
      </EmptyState>
    );
  }
  const isOld = search.version !== undefined && search.version !== current.data.version;
  return (
    <div className="grid gap-5 py-4 xl:grid-cols-[minmax(0,3fr)_minmax(20rem,2fr)]">
      <div className="flex min-w-0 flex-col gap-5">
        <Proposals agent={agent} current={current.data.version} />
        {isOld ? (
          <OldVersion agent={agent} version={search.version ?? 0} current={current.data} />
        ) : (
          <Document shown={current.data} title="In force" actions={edit} />
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <Versions agent={agent} versions={versions} pages={pages} />
        <Comparison agent={agent} versions={versions} current={current.data.version} />
      </div>
    </div>
  );
}

function Document(props: { shown: IdentityView; title: string; actions: React.ReactNode }) {
  const { shown } = props;
  return (
    <Card aria-labelledby="document-title">
      <CardHead
        id="document-title"
        title={props.title}
        note={
          <>
            version {shown.version}, {sourceWord(shown.source)}, <Time at={shown.updated_at} />
          </>
        }
      >
        {props.actions}
      </CardHead>
      <div data-testid="identity" className="border-t border-line px-4 py-3 text-[15px]">
        <Markdown text={shown.content} />
      </div>
    </Card>
  );
}

function OldVersion(props: { agent: string; version: number; current: IdentityView }) {
  const { agent, version, current } = props;
  const [, set] = useAddress();
  const client = useQueryClient();
  const found = useQuery(identityQuery(agent, version));
  if (found.isPending) return <Loading what={`version ${version}`} />;
  if (found.isError) {
    return (
      <LoadError
        what={`Version ${version} could not be loaded.`}
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  return (
    <Document
      shown={found.data}
      title="An earlier version"
      actions={
        <>
          <Badge tone="wait">not in force</Badge>
          <Button size="s" onClick={() => set({ version: undefined })}>
            Show the one in force
          </Button>
          <Button size="s" onClick={() => void restoreVersion(client, agent, version, current.version)}>
            Restore
          </Button>
        </>
      }
    />
  );
}

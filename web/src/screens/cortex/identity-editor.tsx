import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { IdentityView } from "@/api/generated";
import { toast, toastError } from "@/app/toasts";
import { Button, Card, CardHead, LoadError, Textarea } from "@/ui";
import { Markdown } from "@/ui/markdown";
import { lineDiff } from "./diff";
import { DiffView } from "./diff-view";
import { Choice } from "./parts";

interface Draft {
  text: string;
  /** The version that it was begun from; 0 where there was none. */
  base: number;
}

/** What is half written outlives a look at another screen, not a reload. One for each agent. */
const drafts = new Map<string, Draft>();

export const draftOf = (agent: string): Draft | null => drafts.get(agent) ?? null;

interface Props {
  agent: string;
  current: IdentityView | null;
  onClose: () => void;
  /** Opens it again with the draft that is kept. */
  onReopen: () => void;
}

export function IdentityEditor({ agent, current, onClose, onReopen }: Props) {
  const client = useQueryClient();
  const old = current?.content ?? "";
  const inForce = current?.version ?? 0;
  const [draft, setDraft] = useState<Draft>(() => draftOf(agent) ?? { text: old, base: inForce });
  const [shows, setShows] = useState<"preview" | "changes">("preview");
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const isChanged = draft.text !== old;
  const write = (text: string) => {
    const next = { ...draft, text };
    setDraft(next);
    drafts.set(agent, next);
  };
  const close = () => {
    drafts.delete(agent);
    onClose();
  };
  const discard = () => {
    close();
    if (!isChanged) return;
    const run = () => {
      drafts.set(agent, draft);
      onReopen();
    };
    toast({ title: "Your text is discarded", ms: 10_000, undo: { label: "Undo", run } });
  };
  const save = async (force: boolean) => {
    setSaving(true);
    setRefused(null);
    try {
      const saved = await call("POST /identity", {
        query: { citizen: agent },
        body: { citizen: agent, content: draft.text, force },
      });
      await client.invalidateQueries({ queryKey: ["identity"] });
      savedToast(agent, saved.version, inForce, () => client.invalidateQueries({ queryKey: ["identity"] }));
      close();
    } catch (error) {
      setRefused(error);
    } finally {
      setSaving(false);
    }
  };
  const mayForce = refused instanceof ApiError && refused.status === 422;
  return (
    <div className="flex flex-col gap-3 py-4">
      {draft.base !== inForce && (
        <p role="alert" className="rounded-lg border border-wait/50 bg-wait-soft px-4 py-2 text-sm text-ink">
          Version {inForce} came while you wrote; your text began from version {draft.base}. The changes below
          are against version {inForce}.
        </p>
      )}
      <div className="grid gap-5 lg:grid-cols-2">
        <Card aria-labelledby="editor-title">
          <CardHead id="editor-title" title="Edit" note={`${draft.text.length} characters`}>
            <Button size="s" tone="ghost" onClick={discard}>
              {isChanged ? "Discard" : "Close"}
            </Button>
            <Button
              size="s"
              tone="primary"
              busy={saving}
              disabled={!isChanged}
              onClick={() => void save(false)}
            >
              Save as version
            </Button>
          </CardHead>
          <div className="px-4 pb-4">
            <Textarea
              label="The identity, as Markdown"
              hint="First person, with a heading. Ctrl+Enter saves; every version is kept."
              rows={22}
              value={draft.text}
              autoFocus
              spellCheck={false}
              onChange={(event) => write(event.target.value)}
              onKeyDown={(event) => {
                const isSave = event.key === "Enter" && (event.ctrlKey || event.metaKey);
                if (isSave && isChanged && !saving) void save(false);
              }}
            />
            {refused !== null && <LoadError what="It was not saved." error={refused} />}
            {mayForce && (
              <Button size="s" tone="danger" busy={saving} onClick={() => void save(true)}>
                Save it all the same
              </Button>
            )}
          </div>
        </Card>
        <Card aria-labelledby="preview-title">
          <CardHead id="preview-title" title={shows === "preview" ? "Preview" : "Changes"}>
            <Choice chosen={shows === "preview"} onClick={() => setShows("preview")}>
              Preview
            </Choice>
            <Choice chosen={shows === "changes"} onClick={() => setShows("changes")}>
              Changes
            </Choice>
          </CardHead>
          {shows === "preview" ? (
            <div data-testid="preview" className="border-t border-line px-4 py-3 text-[15px]">
              <Markdown text={draft.text} />
            </div>
          ) : (
            <Changes old={old} fresh={draft.text} />
          )}
        </Card>
      </div>
    </div>
  );
}

function Changes({ old, fresh }: { old: string; fresh: string }) {
  const lines = useMemo(() => lineDiff(old, fresh), [old, fresh]);
  return <DiffView lines={lines} label="What would change" />;
}

function savedToast(citizen: string, version: number, before: number, refresh: () => Promise<unknown>): void {
  const back = async () => {
    await call("POST /identity/restore", { body: { citizen, version: before } });
    await refresh();
  };
  const undo = {
    label: "Undo",
    run: () => void back().catch((error) => toastError("It could not be undone", error)),
  };
  toast({ title: `Version ${version} is in force`, ms: 10_000, ...(before > 0 ? { undo } : {}) });
}

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "@/api/client";
import { toast } from "@/app/toasts";
import { Button, Dialog, LoadError, Textarea } from "@/ui";

const EXAMPLE = `{"node_id":"anna","type":"Person","name":"Anna"}
{"node_id":"race","type":"Technical_Context","description":"two ticks write at once"}
{"from":"felix","edge":"HAS_TECHNICAL_CONTEXT","to":"race"}`;

/** Nodes and edges as JSON Lines: all of them are taken, or none. */
export function SeedDialog({ agent, onClose }: { agent: string; onClose: () => void }) {
  const client = useQueryClient();
  const [lines, setLines] = useState("");
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setSaving(true);
    setRefused(null);
    try {
      const done = await call("POST /memory/graph/seed", { body: { citizen: agent, lines } });
      await client.invalidateQueries({ queryKey: ["graph"] });
      toast({
        title: `Recorded ${done.nodes} nodes and ${done.edges} edges`,
        ...(done.unchanged > 0 ? { note: `${done.unchanged} were so already` } : {}),
      });
      onClose();
    } catch (error) {
      setRefused(error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Record nodes and edges"
      about="One JSON object a line; all of them are taken, or none. The same node_id makes a new version."
      size="l"
    >
      <form className="flex flex-col gap-3 px-4 pt-1 pb-4" onSubmit={(event) => void save(event)}>
        <Textarea
          label="JSON Lines"
          rows={10}
          value={lines}
          placeholder={EXAMPLE}
          spellCheck={false}
          autoFocus
          required
          onChange={(event) => setLines(event.target.value)}
        />
        {refused !== null && <LoadError what="Nothing was recorded." error={refused} />}
        <div className="flex justify-end gap-2">
          <Button tone="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" busy={saving} disabled={lines.trim() === ""}>
            Record
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

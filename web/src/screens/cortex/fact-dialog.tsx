import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "@/api/client";
import type { FactView } from "@/api/generated";
import { toast, toastError } from "@/app/toasts";
import { Button, Dialog, Input, LoadError, Select, Textarea } from "@/ui";
import { CATEGORIES, CONTENT_CHARS_MAX, TAGS_MAX, tagsOf } from "./facts";

/** A fact that a person vouches for: a new one, or one that takes the place of another. */
export function FactDialog(props: { agent: string; fact: FactView | null; onClose: () => void }) {
  const { agent, fact, onClose } = props;
  const client = useQueryClient();
  const [content, setContent] = useState(fact?.content ?? "");
  const [category, setCategory] = useState(fact?.category ?? "world");
  const [tags, setTags] = useState(fact?.tags.join(", ") ?? "");
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const refresh = () => client.invalidateQueries({ queryKey: ["knowledge"] });
  const forget = async (fact_id: string) => {
    await call("DELETE /knowledge/{fact_id}", {
      path: { fact_id },
      query: { citizen: agent, reason: "removed at once" },
    });
    await refresh();
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setSaving(true);
    setRefused(null);
    try {
      const known = await call("POST /knowledge", {
        body: {
          citizen: agent,
          content: content.trim(),
          category,
          tags: tagsOf(tags).slice(0, TAGS_MAX),
          supersedes: fact?.fact_id ?? null,
        },
      });
      await refresh();
      const run = () =>
        void forget(known.fact_id).catch((error) => toastError("It could not be undone", error));
      // One that took the place of another cannot simply go: the other would not come back.
      toast({
        title: fact ? "Corrected; the old fact is closed, not lost" : "Remembered",
        ...(fact ? {} : { undo: { label: "Undo", run }, ms: 10_000 }),
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
      title={fact ? "Correct a fact" : "Add a fact"}
      about={
        fact
          ? "The new one takes the place of the old one, which is closed and keeps its source."
          : "You vouch for it; it holds from now on."
      }
    >
      <form className="flex flex-col gap-3 px-4 pt-1 pb-4" onSubmit={(event) => void save(event)}>
        <Textarea
          label="One statement"
          value={content}
          maxLength={CONTENT_CHARS_MAX}
          required
          autoFocus
          onChange={(event) => setContent(event.target.value)}
        />
        <Select label="About" value={category} onChange={(event) => setCategory(event.target.value)}>
          {CATEGORIES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
        <Input
          label="Tags"
          hint={`Separated by commas, at most ${TAGS_MAX}.`}
          value={tags}
          onChange={(event) => setTags(event.target.value)}
        />
        {refused !== null && <LoadError what="It was not saved." error={refused} />}
        <div className="flex justify-end gap-2">
          <Button tone="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" busy={saving} disabled={content.trim() === ""}>
            {fact ? "Correct" : "Remember"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

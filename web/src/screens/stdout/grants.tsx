import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import type { Grant } from "@/api/generated";
import { undoable } from "@/app/undo";
import { Button, Card, CardHead, Input, LoadError, Loading } from "@/ui";
import { withSign } from "./names";
import { grantsQuery } from "./queries";

const give = (grant: Grant) => call("POST /stdout/grants", { body: grant });
const end = (grant: Grant) => call("DELETE /stdout/grants", { body: grant });

/** Who may read whose log, besides everybody its own. */
export function Grants() {
  const client = useQueryClient();
  const grants = useQuery(grantsQuery);
  const again = () => void client.invalidateQueries({ queryKey: grantsQuery.queryKey });
  const revoke = (grant: Grant) =>
    undoable({
      done: `${grant.reader} may not read the log of ${grant.owner} any more`,
      run: () => end(grant),
      undo: () => give(grant).finally(again),
    }).finally(again);
  return (
    <Card aria-labelledby="grants-title">
      <CardHead id="grants-title" title="Grants" note="who may read whose log, besides its own" />
      <div className="px-4 pb-4">
        {grants.isPending && <Loading what="the grants" />}
        {grants.isError && <LoadError error={grants.error} retry={() => void grants.refetch()} />}
        {grants.data?.items.length === 0 && (
          <p className="text-[13px] text-muted">
            None: everybody reads its own log alone. At the command line:{" "}
            <code>abide stdout grant @ann @bob</code> lets Ann read Bob's.
          </p>
        )}
        <ul aria-label="Grants" className="divide-y divide-line">
          {grants.data?.items.map((grant) => (
            <li
              key={`${grant.reader} ${grant.owner}`}
              className="flex flex-wrap items-center gap-2 py-1.5 text-[13px]"
            >
              <span className="min-w-0 break-words text-ink">
                {grant.reader} reads {grant.owner}
              </span>
              <Button
                size="s"
                tone="danger"
                className="ml-auto"
                aria-label={`Revoke: ${grant.reader} reads ${grant.owner}`}
                onClick={() => void revoke(grant)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
        <GrantForm onDone={again} />
      </div>
    </Card>
  );
}

function GrantForm({ onDone }: { onDone: () => void }) {
  const [reader, setReader] = useState("");
  const [owner, setOwner] = useState("");
  const grant = { reader: withSign(reader.trim()), owner: withSign(owner.trim()) };
  const isWhole = reader.trim() !== "" && owner.trim() !== "";
  return (
    <form
      className="mt-2 flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWhole) return;
        void undoable({
          done: `${grant.reader} may read the log of ${grant.owner}`,
          run: () => give(grant),
          undo: () => end(grant).finally(onDone),
        }).finally(onDone);
        setReader("");
        setOwner("");
      }}
    >
      <Input
        className="w-28"
        label="Reader"
        placeholder="@ann"
        value={reader}
        maxLength={65}
        spellCheck={false}
        onChange={(event) => setReader(event.target.value)}
      />
      <Input
        className="w-28"
        label="Whose log"
        placeholder="@bob"
        value={owner}
        maxLength={65}
        spellCheck={false}
        onChange={(event) => setOwner(event.target.value)}
      />
      <Button type="submit" disabled={!isWhole}>
        Grant
      </Button>
    </form>
  );
}

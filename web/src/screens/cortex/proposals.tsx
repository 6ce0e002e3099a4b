import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call } from "@/api/client";
import type { ProposalView } from "@/api/generated";
import { toast, toastError } from "@/app/toasts";
import { later } from "@/app/undo";
import { Badge, Button, Card, CardHead, Input, LoadError, Time } from "@/ui";
import { Markdown } from "@/ui/markdown";
import { readDiff } from "./diff";
import { DiffView } from "./diff-view";
import { Choice } from "./parts";
import { proposalsQuery } from "./queries";

/** A large change that sleep proposes and that a person decides on. */
export function Proposals({ agent, current }: { agent: string; current: number }) {
  const found = useQuery(proposalsQuery(agent));
  if (found.isError) {
    return (
      <LoadError
        what="Proposals could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  return (found.data?.items ?? []).map((one) => (
    <Proposal key={one.proposal_id} agent={agent} proposal={one} current={current} />
  ));
}

function Proposal(props: { agent: string; proposal: ProposalView; current: number }) {
  const { agent, proposal, current } = props;
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [deciding, setDeciding] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => readDiff(proposal.diff), [proposal.diff]);
  const decide = async (decision: "approve" | "deny") => {
    const done = await call("POST /identity/proposals/{id}", {
      path: { id: proposal.proposal_id },
      body: { citizen: agent, decision, reason: reason.trim() || null },
    });
    await client.invalidateQueries({ queryKey: ["identity"] });
    return done;
  };
  const approve = async () => {
    setDeciding("approve");
    try {
      const { version } = await decide("approve");
      toast({ title: version ? `Version ${version} is in force` : "Approved" });
    } catch (error) {
      toastError("That did not work", error);
    } finally {
      setDeciding(null);
    }
  };
  // A denied proposal does not come back by itself: it can be called off for a moment.
  const deny = async () => {
    setDeciding("deny");
    await later({ doing: "The proposal is being rejected", run: () => decide("deny") });
    setDeciding(null);
  };
  return (
    <Card aria-labelledby={`proposal-${proposal.proposal_id}`} className="border-wait/60">
      <CardHead
        id={`proposal-${proposal.proposal_id}`}
        title="A change waits for you"
        note={
          <>
            {proposal.sleep_id === null ? "found in identity.md" : "proposed by sleep"}{" "}
            <Time at={proposal.proposed_at} />; {Math.round(proposal.change * 100)} % would change
            {proposal.sleep_id !== null && (
              <>
                ;{" "}
                <Link to="/timeline" search={{ q: proposal.sleep_id }}>
                  the sleep
                </Link>
              </>
            )}
          </>
        }
      >
        <span className="max-sm:hidden">
          <Badge tone="wait">not in force</Badge>
        </span>
      </CardHead>
      {proposal.based_on !== current && (
        <p className="px-4 pb-2 text-sm text-wait">
          Version {current} came since; what is shown is against the version in force.
        </p>
      )}
      <div className="flex gap-2 px-4 pb-2">
        <Choice chosen={!isWhole} onClick={() => setWhole(false)}>
          Changes
        </Choice>
        <Choice chosen={isWhole} onClick={() => setWhole(true)}>
          Whole text
        </Choice>
      </div>
      {isWhole ? (
        <div className="border-t border-line px-4 py-3 text-[15px]">
          <Markdown text={proposal.content} />
        </div>
      ) : (
        <DiffView lines={lines} label="What the proposal would change" />
      )}
      <div className="flex flex-wrap items-end gap-2 border-t border-line px-4 py-3">
        <Input
          label="Reason, kept in the ledger"
          className="min-w-40 flex-1"
          value={reason}
          maxLength={400}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button
          tone="primary"
          busy={deciding === "approve"}
          disabled={deciding !== null}
          onClick={() => void approve()}
        >
          Accept
        </Button>
        <Button
          tone="danger"
          busy={deciding === "deny"}
          disabled={deciding !== null}
          onClick={() => void deny()}
        >
          Reject
        </Button>
      </div>
    </Card>
  );
}

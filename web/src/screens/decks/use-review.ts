// A person's way through a proposal: where they are, what is ticked, and what their answers do.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/errors";
import type { DeckOp, DeckProposalView, DeckStateView } from "@/api/generated";
import { toast, toastError } from "@/app/toasts";
import { act, sayRefused, sayTaken } from "./acts";
import { isUsable, isWaiting, stepped, tickedOf, toggled, type Unticked } from "./review-model";
import { approveLines, rejectLines, reopenLines, rewriteLine } from "./routes";

export function useReview(
  state: DeckStateView,
  proposal: DeckProposalView,
  unticked: Unticked,
  onUnticked: (next: Unticked) => void,
) {
  const client = useQueryClient();
  const [reached, setReached] = useState<number | null>(() => stepped(proposal, null, 1));
  const [conflict, setConflict] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isSending = useRef(false);
  const list = useRef<HTMLOListElement>(null);
  const deck = state.deck_id;
  const line = proposal.ops.find((one) => one.id === reached);
  const ticked = tickedOf(proposal, unticked);
  // The keys act on a line that is there, also after it was answered elsewhere.
  useEffect(() => {
    if (reached !== null && !proposal.ops.some((one) => one.id === reached))
      setReached(stepped(proposal, null, 1));
  }, [proposal, reached]);

  const reach = (id: number | null) => {
    if (id === null) return;
    setReached(id);
    focusLine(list.current, id);
  };
  const approve = async () => {
    if (isSending.current) return;
    if (ticked.length === 0) return void toast({ title: "No line is ticked" });
    isSending.current = true;
    setBusy(true);
    const { state: next, error } = await act(client, deck, () => approveLines(proposal.id, ticked));
    isSending.current = false;
    setBusy(false);
    if (next) {
      setConflict(null);
      sayTaken(client, next, ticked.length);
    } else if (error instanceof ApiError && error.status === 409) setConflict(error);
    else toastError("The lines were not approved", error);
  };
  /** The other side of a conflict: the line is done as it stands, where it still can be. */
  const takeDespite = async (id: number) => {
    const { state: next, error } = await act(client, deck, () => approveLines(proposal.id, [id], true));
    if (next) sayTaken(client, next, 1);
    else toastError("The line was not approved", error);
  };
  const reject = async (lines: readonly number[], reason: string) => {
    const { error } = await act(client, deck, () => rejectLines(proposal.id, lines, reason));
    if (error !== undefined) return toastError("The lines were not rejected", error);
    sayRefused(client, deck, proposal.id, lines);
  };
  const reopen = async (id: number) => {
    const { error } = await act(client, deck, () => reopenLines(proposal.id, [id]));
    if (error !== undefined) toastError("The line was not opened again", error);
  };
  const rewrite = async (id: number, op: DeckOp): Promise<boolean> => {
    const { error } = await act(client, deck, () => rewriteLine(proposal.id, id, op));
    if (error !== undefined) toastError("The line was not rewritten", error);
    else toast({ title: "The line was rewritten" });
    return error === undefined;
  };
  return {
    list,
    reached,
    line,
    ticked,
    conflict,
    isBusy,
    waiting: proposal.ops.filter(isWaiting),
    setReached,
    step: (by: 1 | -1) => reach(stepped(proposal, reached, by)),
    tick: (id: number) => {
      const one = proposal.ops.find((each) => each.id === id);
      if (one && isUsable(one)) onUnticked(toggled(unticked, id));
    },
    forgetConflict: () => setConflict(null),
    approve,
    takeDespite,
    reject,
    reopen,
    rewrite,
  };
}

/** A line's box where it can be ticked, else the line itself. */
function focusLine(list: HTMLElement | null, id: number): void {
  const row = list?.querySelector<HTMLElement>(`[data-line="${id}"]`);
  const box = row?.querySelector<HTMLInputElement>("input[type=checkbox]:not(:disabled)");
  (box ?? row)?.focus();
  row?.scrollIntoView({ block: "nearest" });
}

// Parts of the live state that several screens want.
import { useMemo } from "react";
import type { LiveAgent, LiveApproval, LiveEpoch } from "./state";
import { useLive } from "./store";

/** All agents, in the order of the configuration. */
export function useAgents(): LiveAgent[] {
  return useLive((state) => Object.values(state.agents));
}

export function useAgent(id: string): LiveAgent | undefined {
  return useLive((state) => state.agents[id]);
}

export function useEpoch(id: string | null | undefined): LiveEpoch | undefined {
  return useLive((state) => (id ? state.epochs[id] : undefined));
}

/** Epochs of one agent that are kept here, the oldest first. */
export function useEpochs(agent: string): LiveEpoch[] {
  const epochs = useLive((state) => Object.values(state.epochs).filter((epoch) => epoch.agent === agent));
  return useMemo(() => [...epochs].sort((a, b) => a.firstSeq - b.firstSeq), [epochs]);
}

/** Calls that wait for a person, the oldest deadline first. */
export function useApprovals(): LiveApproval[] {
  const approvals = useLive((state) => Object.values(state.approvals));
  return useMemo(() => [...approvals].sort((a, b) => a.deadline.localeCompare(b.deadline)), [approvals]);
}

import { Pause, Play, RotateCw, Save } from "lucide-react";
import { useState } from "react";
import type { AgentView } from "@/api/generated";
import { useAgent } from "@/live/hooks";
import { useConnection } from "@/live/store";
import { Button, Confirm } from "@/ui";
import { checkpoint, park, restart, resume } from "./acts";

/** Whether it takes nothing up until it is resumed. */
export function isStopped(state: string): boolean {
  return state === "parked" || state === "paused";
}

/** Buttons for what can be done with an agent as it stands. `all`: also what belongs to its process. */
export function Steer({
  agent,
  state,
  size = "m",
  all = false,
}: {
  agent: AgentView;
  state: string;
  size?: "s" | "m";
  all?: boolean;
}) {
  const [busy, setBusy] = useState("");
  const [isAsking, setAsking] = useState(false);
  const isOff = useConnection().phase === "offline";
  const isWorking = useAgent(agent.id)?.openEpoch != null;
  const run = (name: string, what: () => Promise<void>) => {
    setBusy(name);
    void what().finally(() => setBusy(""));
  };
  const shared = (name: string) => ({ size, busy: busy === name, disabled: isOff || busy !== "" });
  return (
    <>
      {isStopped(state) ? (
        <Button
          {...shared("resume")}
          icon={<Play aria-hidden className="size-3.5" />}
          aria-label={`Resume ${agent.name}`}
          onClick={() => run("resume", () => resume(agent.id, state === "parked"))}
        >
          Resume
        </Button>
      ) : (
        <Button
          {...shared("park")}
          icon={<Pause aria-hidden className="size-3.5" />}
          aria-label={`Park ${agent.name}`}
          onClick={() => run("park", () => park(agent.id))}
        >
          Park
        </Button>
      )}
      {all && agent.process && (
        <>
          <Button
            {...shared("restart")}
            icon={<RotateCw aria-hidden className="size-3.5" />}
            onClick={() => (isWorking ? setAsking(true) : run("restart", () => restart(agent.id)))}
          >
            Restart
          </Button>
          <Button
            {...shared("checkpoint")}
            icon={<Save aria-hidden className="size-3.5" />}
            onClick={() => run("checkpoint", () => checkpoint(agent.id))}
          >
            Checkpoint
          </Button>
          <Confirm
            open={isAsking}
            onOpenChange={setAsking}
            title={`Restart the process of ${agent.name}?`}
            act="Restart"
            onAct={() => run("restart", () => restart(agent.id))}
          >
            It is working right now. The new process is asked the same turn again; nothing in the ledger
            changes.
          </Confirm>
        </>
      )}
    </>
  );
}

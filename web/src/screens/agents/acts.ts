// What can be done with an agent. What can be taken back is done at once with a way back; the rest is asked about first (`ask.tsx`).
import { call } from "@/api/client";
import { toast, toastError } from "@/app/toasts";
import { undoable } from "@/app/undo";

const steer = (id: string, action: "park" | "resume" | "restart" | "checkpoint") =>
  call("POST /agents/{id}/{action}", { path: { id, action }, body: null });

export function park(id: string): Promise<void> {
  return undoable({
    done: `${id} is parked; messages wait`,
    run: () => steer(id, "park"),
    undo: () => steer(id, "resume"),
  });
}

/** `wasParked`: whether a person had stopped it, and not its budget. */
export async function resume(id: string, wasParked: boolean): Promise<void> {
  if (wasParked)
    return undoable({
      done: `${id} goes on`,
      run: () => steer(id, "resume"),
      undo: () => steer(id, "park"),
    });
  await headlineOf(`${id} goes on`, () => steer(id, "resume"));
}

export function restart(id: string): Promise<void> {
  return headlineOf(`Restarting the process of ${id}`, () => steer(id, "restart"));
}

export function checkpoint(id: string): Promise<void> {
  return headlineOf(`${id} has a new checkpoint`, () => steer(id, "checkpoint"));
}

export function restore(id: string, checkpointId: string): Promise<void> {
  return headlineOf(`${id} is started anew from its checkpoint`, () =>
    call("POST /agents/{id}/{action}", {
      path: { id, action: "restore" },
      body: { checkpoint_id: checkpointId },
    }),
  );
}

async function headlineOf(done: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
    toast({ title: done });
  } catch (error) {
    toastError("That did not work", error);
  }
}

// Two ways to be able to go back. `undoable` does a thing at once and knows how to take it back. `later` is for what cannot be taken
// back: it waits a few seconds in which it can be called off; a page that is closed meanwhile does nothing, the safe side.
import { drop, toast, toastError } from "./toasts";

const LATER_MS = 6_000;

export async function undoable(act: {
  done: string;
  run: () => Promise<unknown>;
  undo: () => Promise<unknown>;
}): Promise<void> {
  try {
    await act.run();
  } catch (error) {
    toastError("That did not work", error);
    return;
  }
  toast({
    title: act.done,
    ms: 10_000,
    undo: {
      label: "Undo",
      run: () => void act.undo().catch((error) => toastError("It could not be undone", error)),
    },
  });
}

/** Gives a promise that is true once it was done, false when it was called off or failed. */
export function later(act: { doing: string; run: () => Promise<unknown> }): Promise<boolean> {
  return new Promise((settle) => {
    const go = () => {
      act.run().then(
        () => settle(true),
        (error) => {
          toastError("That did not work", error);
          settle(false);
        },
      );
    };
    const id = toast({
      title: act.doing,
      ms: LATER_MS,
      onGone: go,
      undo: {
        label: "Undo",
        run: () => {
          drop(id);
          settle(false);
        },
      },
    });
  });
}

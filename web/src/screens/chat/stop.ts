import { call } from "@/api/client";
import { toastError } from "@/app/toasts";

/** Ends an epoch without a reply; that it did is shown when the keeper says so. */
export async function stopEpoch(id: string): Promise<void> {
  try {
    await call("POST /epochs/{id}/abort", { path: { id }, body: { reason: "stopped on the page" } });
  } catch (error) {
    toastError("The epoch could not be stopped", error);
  }
}

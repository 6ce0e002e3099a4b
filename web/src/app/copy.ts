import { toast, toastError } from "./toasts";

/** Puts a text into the clipboard and says so. Browsers offer that to https and to this machine alone. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    if (!navigator.clipboard)
      throw new Error("this browser offers the clipboard to https and localhost alone");
    await navigator.clipboard.writeText(text);
    toast({ title: `${what} copied`, ms: 2_500 });
  } catch (error) {
    toastError("It could not be copied", error);
  }
}

import { Dialog, Kbd } from "@/ui";
import { KeyGroups } from "./key-groups";

/** The keys that work here and now. */
export function Help({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keys"
      about="What can be done here by keyboard. Ctrl+K finds everything else."
    >
      <div className="grid gap-5 px-4 pb-5 sm:grid-cols-2">
        <KeyGroups title={(group) => group} />
        <p className="text-[13px] text-muted sm:col-span-2">
          Tab moves between things, Enter presses them, F8 goes to the newest notice. Letters after one
          another, such as <Kbd keys="g t" />, are pressed one by one.
        </p>
      </div>
    </Dialog>
  );
}

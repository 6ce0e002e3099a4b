import { Dialog, Kbd } from "@/ui";
import { KeyGroups } from "./key-groups";

/** The keys that work here and now. */
export function Help({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keys"
      about="Keyboard shortcuts. Ctrl+K finds everything else."
    >
      <div className="px-4 pb-5">
        <div className="gap-8 pt-1 sm:columns-2 [&>section]:mb-5 [&>section]:break-inside-avoid">
          <KeyGroups title={(group) => group} />
        </div>
        <p className="text-[13px] text-muted">
          Tab moves between things, Enter presses them, F8 goes to the newest notice. Letters after one
          another, such as <Kbd keys="g t" /> for the timeline, are pressed one by one.
        </p>
      </div>
    </Dialog>
  );
}

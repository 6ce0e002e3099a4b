import { Dialog, Kbd } from "@/ui";
import { useAllCommands } from "./commands";

/** The keys that work here and now. */
export function Help({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const commands = useAllCommands().filter((command) => command.keys);
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keys"
      about="What can be done here by keyboard. Ctrl+K finds everything else."
    >
      <div className="grid gap-5 px-4 pb-5 sm:grid-cols-2">
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3 className="mb-1 text-xs font-semibold tracking-wide text-muted uppercase">{group}</h3>
            <dl className="text-sm">
              {commands
                .filter((command) => command.group === group)
                .map((command) => (
                  <div key={command.id} className="flex items-center justify-between gap-3 py-1">
                    <dt className="text-ink">{command.label}</dt>
                    <dd>
                      <Kbd keys={command.keys ?? ""} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
        <p className="text-[13px] text-muted sm:col-span-2">
          Tab moves between things, Enter presses them, F8 goes to the newest notice. Letters after one
          another, such as <Kbd keys="g t" />, are pressed one by one.
        </p>
      </div>
    </Dialog>
  );
}

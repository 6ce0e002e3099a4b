import { Kbd } from "@/ui";
import { useAllCommands } from "./commands";

/** The keys that work here and now, by group; `title` names the list of a group for those who hear it. */
export function KeyGroups({ title }: { title: (group: string) => string }) {
  const commands = useAllCommands().filter((command) => command.keys);
  const groups = [...new Set(commands.map((command) => command.group))];
  return groups.map((group) => (
    <section key={group} aria-label={title(group)}>
      <h3 className="mb-1 text-xs font-semibold tracking-wide text-muted uppercase">{group}</h3>
      <dl className="text-sm">
        {commands
          .filter((command) => command.group === group)
          .map((command) => (
            <div key={command.id} className="flex items-center justify-between gap-3 py-1">
              <dt className="min-w-0 text-ink">{command.label}</dt>
              <dd>
                <Kbd keys={command.keys ?? ""} />
              </dd>
            </div>
          ))}
      </dl>
    </section>
  ));
}

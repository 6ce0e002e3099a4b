import { useAllCommands } from "@/app/commands";
import { Card, CardHead, Kbd } from "@/ui";

/** Keys that work everywhere; what a screen adds is shown by `?` on it. */
export function Keys() {
  const commands = useAllCommands().filter((command) => command.keys);
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Card aria-labelledby="keys-title">
      <CardHead id="keys-title" title="Keys" note="? shows those of each screen" />
      <div className="grid gap-4 px-4 pb-4 sm:grid-cols-2">
        {groups.map((group) => (
          <section key={group} aria-label={`Keys: ${group}`}>
            <h3 className="mb-1 text-xs font-semibold tracking-wide text-muted uppercase">{group}</h3>
            <dl className="text-[13px]">
              {commands
                .filter((command) => command.group === group)
                .map((command) => (
                  <div key={command.id} className="flex items-center justify-between gap-3 py-0.5">
                    <dt className="min-w-0 text-ink">{command.label}</dt>
                    <dd>
                      <Kbd keys={command.keys ?? ""} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Card>
  );
}

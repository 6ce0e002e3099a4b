import { KeyGroups } from "@/app/key-groups";
import { Card, CardHead } from "@/ui";

/** Keys that work everywhere; what a screen adds is shown by `?` on it. */
export function Keys() {
  return (
    <Card aria-labelledby="keys-title">
      <CardHead id="keys-title" title="Keys" note="? shows those of each screen" />
      <div className="grid gap-4 px-4 pb-4 sm:grid-cols-2">
        <KeyGroups title={(group) => `Keys: ${group}`} />
      </div>
    </Card>
  );
}

import { Card, CardHead } from "@/ui";
import { CommandLine } from "./command-line";

/** Configuration is read and changed where the home is: the keeper offers no route for it. */
export function Configuration() {
  return (
    <Card aria-labelledby="configuration-title">
      <CardHead id="configuration-title" title="Configuration" note="in abide.toml, in the home" />
      <div className="px-4 pb-4">
        <p className="text-[13px] text-muted">
          It is shown and changed at the command line alone, where the home is. A change counts from the next
          start of the keeper.
        </p>
        <ul>
          <CommandLine command="abide config print">Every value in force, with its origin.</CommandLine>
          <CommandLine command="abide config path">Where abide.toml is.</CommandLine>
          <CommandLine command="abide config set KEY VALUE">Changes one value; comments stay.</CommandLine>
          <CommandLine command="abide config schema">The JSON schema, for editors.</CommandLine>
        </ul>
      </div>
    </Card>
  );
}

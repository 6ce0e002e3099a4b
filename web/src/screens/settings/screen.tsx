// How the keeper is, who is signed in, how the page looks, and where the rest is set.
import { Screen } from "@/ui";
import { Configuration } from "./configuration";
import { Doctor, KeeperFigures } from "./doctor";
import { Keys } from "./keys";
import { Notices } from "./notices";
import { Servers } from "./servers";
import { Colours, Sessions } from "./this-browser";
import { Tools } from "./tools";

export function SettingsScreen() {
  return (
    <Screen title="Settings" note="and how the keeper is">
      <div className="grid max-w-7xl gap-5 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <KeeperFigures />
          <Doctor />
          <Servers />
          <Tools />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Notices />
          <Colours />
          <Sessions />
          <Configuration />
          <Keys />
        </div>
      </div>
    </Screen>
  );
}

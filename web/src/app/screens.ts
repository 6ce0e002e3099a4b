// The screens, in the order of the rail. A new one: a line here, a route in `router.tsx`, a folder in `screens/`.
import {
  Activity,
  Brain,
  Disc3,
  Inbox,
  Layers,
  type LucideIcon,
  MessagesSquare,
  Network,
  Settings,
  SquareTerminal,
  Telescope,
} from "lucide-react";

export interface ScreenEntry {
  id: string;
  label: string;
  /** Where the rail leads; the router adds the agent where one is wanted. */
  to:
    | "/"
    | "/chat"
    | "/timeline"
    | "/cortex"
    | "/agents"
    | "/watchdog"
    | "/stdout"
    | "/settings"
    | "/decks"
    | "/media";
  icon: LucideIcon;
  keys: string;
  /** Stands in the bottom bar of a phone; the rest is behind "More". */
  isMain?: boolean;
}

export const SCREENS: readonly ScreenEntry[] = [
  { id: "home", label: "Attention", to: "/", icon: Inbox, keys: "g h", isMain: true },
  { id: "chat", label: "Chat", to: "/chat", icon: MessagesSquare, keys: "g c", isMain: true },
  { id: "timeline", label: "Timeline", to: "/timeline", icon: Activity, keys: "g t", isMain: true },
  { id: "cortex", label: "Memory", to: "/cortex", icon: Brain, keys: "g x", isMain: true },
  { id: "agents", label: "Agents", to: "/agents", icon: Network, keys: "g a" },
  { id: "watchdog", label: "Watchdog", to: "/watchdog", icon: Telescope, keys: "g w" },
  { id: "stdout", label: "Log", to: "/stdout", icon: SquareTerminal, keys: "g o" },
  { id: "decks", label: "Deck Forge", to: "/decks", icon: Layers, keys: "g d" },
  { id: "media", label: "Music", to: "/media", icon: Disc3, keys: "g m" },
  { id: "settings", label: "Settings", to: "/settings", icon: Settings, keys: "g s" },
];

// Where things are. Each screen is a piece of its own that is loaded when it is opened; what stands in an address (agent, session,
// filter) is checked here, so that a link from outside can break nothing.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  type SearchSchemaInput,
} from "@tanstack/react-router";
import { agentsSearch } from "@/screens/agents/search";
import { chatSearch } from "@/screens/chat/search";
import { cortexSearch } from "@/screens/cortex/search";
import { deckSearch } from "@/screens/decks/search";
import { mediaSearch } from "@/screens/media/search";
import { settingsSearch } from "@/screens/settings/search";
import { stdoutSearch } from "@/screens/stdout/search";
import { timelineSearch } from "@/screens/timeline/search";
import { watchdogSearch } from "@/screens/watchdog/search";
import { EmptyState, LoadError, Loading } from "@/ui";
import { usePreferredAgent } from "./preferred-agent";
import { Shell } from "./shell";

/** An address may leave everything out. */
function optional<T>(check: (search: Record<string, unknown>) => T) {
  return (search: Partial<T> & SearchSchemaInput): T => check(search as Record<string, unknown>);
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <EmptyState title="There is no such page">Use the navigation on the left, or Ctrl+K.</EmptyState>
  ),
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("@/screens/home/screen"), "HomeScreen"),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: "/chat",
  component: () => <ToAgent to="/chat/$agent" />,
});
const chatWith = createRoute({
  getParentRoute: () => root,
  path: "/chat/$agent",
  validateSearch: optional(chatSearch),
  component: lazyRouteComponent(() => import("@/screens/chat/screen"), "ChatScreen"),
});

const timeline = createRoute({
  getParentRoute: () => root,
  path: "/timeline",
  validateSearch: optional(timelineSearch),
  component: lazyRouteComponent(() => import("@/screens/timeline/screen"), "TimelineScreen"),
});

const cortex = createRoute({
  getParentRoute: () => root,
  path: "/cortex",
  component: () => <ToAgent to="/cortex/$agent" />,
});
const cortexOf = createRoute({
  getParentRoute: () => root,
  path: "/cortex/$agent",
  validateSearch: optional(cortexSearch),
  component: lazyRouteComponent(() => import("@/screens/cortex/screen"), "CortexScreen"),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: "/agents",
  validateSearch: optional(agentsSearch),
  component: lazyRouteComponent(() => import("@/screens/agents/screen"), "AgentsScreen"),
});

const watchdog = createRoute({
  getParentRoute: () => root,
  path: "/watchdog",
  validateSearch: optional(watchdogSearch),
  component: lazyRouteComponent(() => import("@/screens/watchdog/screen"), "WatchdogScreen"),
});

const stdout = createRoute({
  getParentRoute: () => root,
  path: "/stdout",
  validateSearch: optional(stdoutSearch),
  component: lazyRouteComponent(() => import("@/screens/stdout/screen"), "StdoutScreen"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  validateSearch: optional(settingsSearch),
  component: lazyRouteComponent(() => import("@/screens/settings/screen"), "SettingsScreen"),
});

const decks = createRoute({
  getParentRoute: () => root,
  path: "/decks",
  component: lazyRouteComponent(() => import("@/screens/decks/screen"), "DecksScreen"),
});
const deck = createRoute({
  getParentRoute: () => root,
  path: "/decks/$deck",
  validateSearch: optional(deckSearch),
  component: lazyRouteComponent(() => import("@/screens/decks/deck-screen"), "DeckScreen"),
});

const media = createRoute({
  getParentRoute: () => root,
  path: "/media",
  validateSearch: optional(mediaSearch),
  component: lazyRouteComponent(() => import("@/screens/media/screen"), "MediaScreen"),
});

/** Leads to the agent that was looked at last, or the first. */
function ToAgent({ to }: { to: "/chat/$agent" | "/cortex/$agent" }) {
  const agent = usePreferredAgent();
  if (!agent) return <Loading what="the agents" />;
  return <Navigate to={to} params={{ agent }} search={{}} replace />;
}

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    chat,
    chatWith,
    timeline,
    cortex,
    cortexOf,
    agents,
    watchdog,
    stdout,
    settings,
    decks,
    deck,
    media,
  ]),
  defaultPreload: "intent",
  defaultPendingComponent: () => <Loading what="the screen" />,
  defaultErrorComponent: ({ error, reset }) => (
    <LoadError what="This screen failed." error={error} retry={reset} />
  ),
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

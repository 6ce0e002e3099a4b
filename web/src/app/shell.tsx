// The frame around every screen: rail (bottom bar on a phone), top bar with the state of the connection, palette, help, toasts.
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Contrast, HelpCircle, Menu as MenuIcon, MoreHorizontal, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { attentionQuery, mediaQuery, scanQuery } from "@/api/queries";
import { describeConnection } from "@/live/connection";
import { useAgents } from "@/live/hooks";
import { live, useConnection, useLive } from "@/live/store";
import { cx, ErrorBoundary, IconButton, Kbd, type Life, Menu, Pulse } from "@/ui";
import { useMatters } from "./aside";
import { useCommands } from "./commands";
import { Help } from "./help";
import { Logo } from "./logo";
import { useApprovalNews, useTitle } from "./news";
import { useNotices } from "./notices";
import { Palette } from "./palette";
import { SCREENS, type ScreenEntry } from "./screens";
import { setTheme, THEME_NAMES, THEMES } from "./theme";
import { Toaster } from "./toaster";

const MusicBar = lazy(() => import("@/screens/media/bar").then((all) => ({ default: all.MusicBar })));

export function Shell() {
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const navigate = useNavigate();
  const agents = useAgents();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const attention = useQuery(attentionQuery);
  const { open } = useMatters(attention.data?.items);
  useTitle(open.length);
  useNotices(open, attention.isSuccess);
  useApprovalNews();
  useCommands([
    {
      id: "palette",
      label: "Find a command",
      group: "Everywhere",
      keys: "mod+k",
      run: () => setPalette(true),
    },
    { id: "help", label: "Keys and help", group: "Everywhere", keys: "?", run: () => setHelp(true) },
    { id: "reconnect", label: "Reconnect now", group: "Everywhere", run: () => live.stream.retryNow() },
    ...SCREENS.map((screen) => ({
      id: `go:${screen.id}`,
      label: `Go to ${screen.label}`,
      group: "Go to",
      keys: screen.keys,
      run: () => void navigate({ to: screen.to }),
    })),
    ...agents.map((agent) => ({
      id: `chat:${agent.id}`,
      label: `Talk to ${agent.name}`,
      group: "Agents",
      words: agent.id,
      run: () => void navigate({ to: "/chat/$agent", params: { agent: agent.id }, search: {} }),
    })),
    ...THEMES.map((theme) => ({
      id: `theme:${theme}`,
      label: `Colours: ${THEME_NAMES[theme]}`,
      group: "Appearance",
      words: "theme dark light contrast",
      run: () => setTheme(theme),
    })),
  ]);
  return (
    <div className="grid h-dvh grid-cols-1 grid-rows-[auto_minmax(0,1fr)_auto] rail:grid-cols-[auto_minmax(0,1fr)] rail:grid-rows-[auto_minmax(0,1fr)_auto]">
      <a href="#main" className="skip">
        Skip to the content
      </a>
      <TopBar onPalette={() => setPalette(true)} onHelp={() => setHelp(true)} />
      <Rail />
      <main
        id="main"
        tabIndex={-1}
        className="min-h-0 min-w-0 overflow-hidden outline-none rail:col-start-2 rail:row-start-2"
      >
        <ErrorBoundary at={path}>
          <Outlet />
        </ErrorBoundary>
      </main>
      <MusicPlace />
      <BottomBar />
      <Palette open={palette} onOpenChange={setPalette} />
      <Help open={help} onOpenChange={setHelp} />
      <Toaster />
    </div>
  );
}

/** The bar of music, where folders with music are configured. */
function MusicPlace() {
  const status = useQuery(mediaQuery).data;
  const isOff = status?.backend === "off" && status.state === "unavailable";
  const scan = useQuery({ ...scanQuery, enabled: isOff }).data;
  if (!status || (isOff && (!scan || scan.state === "off"))) return null;
  return (
    <ErrorBoundary at="music">
      <Suspense fallback={null}>
        <MusicBar />
      </Suspense>
    </ErrorBoundary>
  );
}

function TopBar({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }) {
  const status = useLive((state) => state.status);
  const navigate = useNavigate();
  return (
    <header className="col-span-full flex h-12 items-center gap-3 border-b border-line bg-surface px-3 sm:px-4 short:h-10">
      <Link
        to="/"
        className="flex items-center gap-2 rounded-md text-ink no-underline"
        aria-label="Abide, to the first screen"
      >
        <ConnectedLogo />
        <span className="text-[15px] font-semibold tracking-tight">Abide</span>
      </Link>
      <ConnectionState />
      {status !== "ok" && status !== "loading" && (
        <span role="alert" className="rounded bg-fail-soft px-2 py-0.5 text-[13px] text-fail">
          ledger {status}
        </span>
      )}
      <div className="ml-auto flex items-center gap-1">
        {/* Above a keyboard there is no room for the bar below. */}
        <span className="hidden short:block rail:hidden">
          <Menu
            label="All screens"
            trigger={<IconButton label="All screens" icon={<MenuIcon aria-hidden className="size-4" />} />}
            items={SCREENS.map((screen) => ({
              label: screen.label,
              icon: <screen.icon aria-hidden className="size-4" />,
              onSelect: () => void navigate({ to: screen.to }),
            }))}
          />
        </span>
        <button
          type="button"
          onClick={onPalette}
          className="hidden h-8 items-center gap-2 rounded-md border border-line bg-field px-2.5 text-[13px] text-muted hover:border-line-strong sm:flex"
        >
          <Search aria-hidden className="size-3.5" />
          Find
          <Kbd keys="mod+k" />
        </button>
        <IconButton
          className="sm:!hidden"
          label="Find a command"
          icon={<Search aria-hidden className="size-4" />}
          onClick={onPalette}
        />
        <Menu
          label="Colours"
          trigger={<IconButton label="Colours" icon={<Contrast aria-hidden className="size-4" />} />}
          items={THEMES.map((theme) => ({ label: THEME_NAMES[theme], onSelect: () => setTheme(theme) }))}
        />
        <IconButton
          label="Keys and help"
          icon={<HelpCircle aria-hidden className="size-4" />}
          onClick={onHelp}
        />
      </div>
    </header>
  );
}

function ConnectedLogo() {
  return <Logo isLive={useConnection().phase === "live"} />;
}

const LIFE: Record<string, Life> = {
  live: "alive",
  behind: "waiting",
  connecting: "still",
  loading: "waiting",
  offline: "troubled",
};

/** How this page stands to the keeper, in words that are read aloud when they change for good. */
function ConnectionState() {
  const connection = useConnection();
  const [now, setNow] = useState(() => Date.now());
  const isMoving = connection.phase !== "live" || connection.replayed !== null;
  useEffect(() => {
    setNow(Date.now());
    if (!isMoving) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isMoving]);
  const text = describeConnection(connection, now);
  const title =
    connection.phase === "offline"
      ? `${connection.why}; since ${new Date(connection.since).toLocaleTimeString()}. What is shown may be old.`
      : "what this page shows is what the ledger says";
  return (
    <span
      className="flex min-w-0 items-center gap-1.5 text-[13px]"
      title={title}
      data-testid="connection"
      data-phase={connection.phase}
    >
      <Pulse life={LIFE[connection.phase] ?? "away"} />
      <span className={cx("truncate", connection.phase === "offline" ? "text-fail" : "text-muted")}>
        {text}
      </span>
      <span role="status" className="sr-only">
        {connection.phase === "live" || connection.phase === "offline" ? connection.phase : ""}
      </span>
    </span>
  );
}

function useBadge(): (screen: ScreenEntry) => number {
  const attention = useQuery(attentionQuery);
  const matters = useMatters(attention.data?.items).open.length;
  return (screen) => (screen.id === "home" ? matters : 0);
}

const ITEM =
  "relative flex items-center rounded-lg text-muted no-underline hover:bg-raised hover:text-ink data-[status=active]:bg-raised data-[status=active]:text-ink";

function Rail() {
  const badge = useBadge();
  return (
    <nav
      aria-label="Screens"
      className="hidden overflow-y-auto border-r border-line bg-surface p-2 rail:row-start-2 rail:flex rail:flex-col rail:gap-0.5 lg:w-48 short:p-1"
    >
      {SCREENS.map((screen) => (
        <Link
          key={screen.id}
          to={screen.to}
          activeOptions={{ exact: screen.to === "/", includeSearch: false }}
          title={`${screen.label} (${screen.keys})`}
          className={cx(
            ITEM,
            "h-10 shrink-0 gap-3 px-2.5 text-sm short:h-9",
            screen.id === "settings" && "mt-auto",
          )}
        >
          <screen.icon aria-hidden className="size-[18px] shrink-0" />
          <span className="sr-only lg:not-sr-only">{screen.label}</span>
          <Count n={badge(screen)} />
        </Link>
      ))}
    </nav>
  );
}

function BottomBar() {
  const badge = useBadge();
  const navigate = useNavigate();
  const more = SCREENS.filter((screen) => !screen.isMain);
  return (
    <nav
      aria-label="Screens"
      className="grid grid-cols-5 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] rail:hidden short:hidden"
    >
      {SCREENS.filter((screen) => screen.isMain).map((screen) => (
        <Link
          key={screen.id}
          to={screen.to}
          activeOptions={{ exact: screen.to === "/", includeSearch: false }}
          className={cx(ITEM, "h-14 flex-col justify-center gap-0.5 text-[11px]")}
        >
          <screen.icon aria-hidden className="size-5" />
          {screen.label}
          <Count n={badge(screen)} />
        </Link>
      ))}
      <Menu
        label="More screens"
        trigger={
          <button type="button" className={cx(ITEM, "h-14 flex-col justify-center gap-0.5 text-[11px]")}>
            <MoreHorizontal aria-hidden className="size-5" />
            More
          </button>
        }
        items={more.map((screen) => ({
          label: screen.label,
          icon: <screen.icon aria-hidden className="size-4" />,
          onSelect: () => void navigate({ to: screen.to }),
        }))}
      />
    </nav>
  );
}

function Count({ n }: { n: number }) {
  if (n === 0) return null;
  return (
    <span className="absolute top-1 right-1 min-w-5 rounded-full bg-wait px-1.5 text-center text-[11px] leading-5 font-semibold text-on-wait lg:static lg:ml-auto">
      {n > 99 ? "99+" : n}
      <span className="sr-only"> waiting</span>
    </span>
  );
}

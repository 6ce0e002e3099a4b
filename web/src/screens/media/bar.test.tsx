// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { MediaStatusView } from "@/api/generated";
import { mediaQuery } from "@/api/queries";
import { listenForKeys } from "@/app/commands";
import { MusicBar } from "./bar";

const toastError = vi.hoisted(() => vi.fn());
vi.mock("@/app/toasts", () => ({ toast: vi.fn(), toastError, drop: vi.fn() }));
vi.mock("@tanstack/react-router", () => ({ Link: () => null }));

const JOGA = { id: "0".repeat(32), title: "Jóga", artist: "Björk", duration_s: 300 };

function status(more: Partial<MediaStatusView> = {}): MediaStatusView {
  return {
    backend: "silent",
    state: "paused",
    entry: 1,
    track: JOGA,
    position_s: 12,
    volume: 80,
    queue: [{ entry: 1, track: JOGA }],
    queue_total: 1,
    repeat: "off",
    shuffle: false,
    players: [],
    why: null,
    ...more,
  };
}

let now: MediaStatusView;
let sent: Record<string, unknown>[];
let refusal: Response | null;
let endKeys: () => void;

beforeEach(() => {
  now = status();
  sent = [];
  refusal = null;
  toastError.mockClear();
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    if (init.method !== "POST") return Response.json(now);
    sent.push(JSON.parse(String(init.body)));
    return refusal ?? Response.json(now);
  });
  endKeys = listenForKeys();
});

afterEach(() => {
  endKeys();
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function draw() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 60_000 } } });
  client.setQueryData(mediaQuery.queryKey, now);
  return render(
    <QueryClientProvider client={client}>
      <MusicBar />
      <textarea aria-label="text" />
    </QueryClientProvider>,
  );
}

const button = (name: string) => screen.getByRole("button", { name });

it("shows what the keeper answers to an act, not what was asked", async () => {
  draw();
  now = status({ state: "playing" });
  fireEvent.click(button("Play"));
  await waitFor(() => button("Pause"));
  expect(sent).toEqual([{ action: "play" }]);
});

it("says a refusal, and shows what is", async () => {
  refusal = Response.json(
    { error: { code: "nothing_to_play", message: "the queue is empty" } },
    { status: 409 },
  );
  draw();
  fireEvent.click(button("Next track"));
  await waitFor(() => expect(toastError).toHaveBeenCalled());
  expect(toastError.mock.lastCall?.[1]).toMatchObject({ message: "the queue is empty" });
  button("Play");
});

it("sends a drag once, where it rested", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  draw();
  const slider = screen.getByRole("slider", { name: "Volume" });
  for (const value of ["70", "50", "35"]) fireEvent.change(slider, { target: { value } });
  expect(slider.getAttribute("aria-valuetext")).toBe("35 %");
  expect(sent).toEqual([]);
  now = status({ volume: 35 });
  await vi.advanceTimersByTimeAsync(300);
  expect(sent).toEqual([{ action: "volume", volume: 35 }]);
});

it("takes the media key in a text field, and no space or letter", async () => {
  draw();
  const text = screen.getByLabelText("text");
  text.focus();
  for (const key of [" ", "m", "p"]) expect(fireEvent.keyDown(text, { key })).toBe(true);
  expect(sent).toEqual([]);
  fireEvent.keyDown(text, { key: "MediaPlayPause" });
  fireEvent.keyDown(document.body, { key: "m" });
  fireEvent.keyDown(document.body, { key: "n" });
  await waitFor(() => expect(sent).toEqual([{ action: "play" }, { action: "next" }]));
});

it("says why nothing can play, and lets nobody try", () => {
  now = status({ state: "unavailable", why: "mpv was not found: install it", track: null, entry: null });
  draw();
  expect(screen.getByText("mpv was not found: install it")).toBeTruthy();
  expect(button("Play")).toHaveProperty("disabled", true);
  fireEvent.keyDown(document.body, { key: "MediaPlayPause" });
  expect(sent).toEqual([]);
});

// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { AttentionView } from "@/api/generated";
import { approvalsQuery } from "@/api/queries";
import type { LiveApproval } from "@/live/state";
import { Matter } from "./matter";

const navigate = vi.hoisted(() => vi.fn());
const approvals = vi.hoisted(() => [] as LiveApproval[]);

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <>{children}</>,
  useNavigate: () => navigate,
}));
vi.mock("@/live/hooks", () => ({ useApprovals: () => approvals, useEpoch: () => undefined }));

afterEach(() => {
  cleanup();
  approvals.length = 0;
});

const SINCE = "2026-01-01T00:00:00Z";

function draw(matter: Partial<AttentionView>, effect = "state"): void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(approvalsQuery.queryKey, { items: [{ id: "1", effect }], next: null } as never);
  const nothing = () => {};
  render(
    <QueryClientProvider client={client}>
      <Matter
        matter={
          { summary: "a matter", since: SINCE, citizen: "felix", actions: [], ...matter } as AttentionView
        }
        isCurrent
        isChosen={false}
        onCurrent={nothing}
        onChosen={nothing}
        onAside={nothing}
      />
    </QueryClientProvider>,
  );
}

const APPROVAL = {
  id: "approval:1",
  kind: "approval",
  actions: [{ label: "Approve", method: "POST", path: "/approvals/1", body: null }],
} as Partial<AttentionView>;

const isCalm = () => screen.getByRole("button", { name: /^Approve/ }).dataset.calm;

it("an approval whose details have not arrived is not offered as the obvious thing, and not snoozed", () => {
  draw(APPROVAL);
  expect(isCalm()).toBe("true");
  expect(screen.queryByRole("button", { name: "Snooze" })).toBeNull();
});

it("one that changes Abide alone is, with its details", () => {
  approvals.push({
    id: "1",
    tool: "memory.note",
    arguments: {},
    deadline: SINCE,
    callId: "c",
    epochId: "e",
  } as never);
  draw(APPROVAL);
  expect(screen.getByText(/Abide's own state/)).toBeTruthy();
  expect(isCalm()).toBe("false");
  expect(screen.queryByRole("button", { name: "Snooze" })).toBeNull();
});

it("a proposed fact is shown where facts are, and may be snoozed", () => {
  draw({
    id: "fact:1",
    kind: "fact",
    actions: [{ label: "Show", method: "GET", path: "/knowledge/proposals?citizen=felix", body: null }],
  });
  expect(screen.getByRole("button", { name: "Snooze" })).toBeTruthy();
  screen.getByRole("button", { name: /^Show/ }).click();
  expect(navigate).toHaveBeenCalledWith({
    to: "/cortex/$agent",
    params: { agent: "felix" },
    search: { tab: "knowledge" },
  });
});

it("says who has a stall in hand and until when, and offers nothing as the obvious thing then", () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const silence = { label: "Silence for 1 h", method: "POST", path: "/watchdog/silence", body: {} };
  const at = new Date(until).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  draw({ id: "stall:1", kind: "stall", acknowledged: { by: "ann", until }, actions: [silence] });
  expect(screen.getByText(/acknowledged by ann until/).textContent).toContain(at);
  expect(screen.queryByRole("button", { name: /^Acknowledge/ })).toBeNull();
  expect(screen.getByRole("button", { name: /^Silence/ }).className).not.toContain("bg-accent");
});

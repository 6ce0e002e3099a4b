// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { ModelCard } from "./model-card";

const keeper = vi.hoisted(() => ({ provider: '"auto"', isAway: false }));
const toast = vi.hoisted(() => vi.fn());
const toastError = vi.hoisted(() => vi.fn());

vi.mock("@/app/toasts", () => ({ toast, toastError }));
vi.mock("@/api/client", () => ({
  call: async (route: string) => {
    if (keeper.isAway) throw new Error("away");
    if (route === "GET /agents")
      return { items: [{ id: "felix", name: "Felix", mind: "reflex" }], next: null };
    return {
      file: "/h/abide.toml",
      keys_found: [],
      items: [{ key: "model.provider", value: keeper.provider }],
    };
  },
}));

afterEach(cleanup);

it("looks again at the file and the agents, and says what is so now", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <ModelCard />
    </QueryClientProvider>,
  );
  const look = async () => (await screen.findByRole("button", { name: "Look again" })).click();
  await look();
  await waitFor(() => expect(toast.mock.lastCall?.[0].title).toBe("Still no model"));
  keeper.isAway = true;
  await look();
  await waitFor(() => expect(toastError).toHaveBeenCalledOnce());
  Object.assign(keeper, { isAway: false, provider: '"reflex"' });
  await look();
  await waitFor(() => expect(toast.mock.lastCall?.[0].title).toBe("There is a model now"));
});

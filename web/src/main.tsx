import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "@/api/errors";
import { listenForKeys } from "@/app/commands";
import { Gate } from "@/app/gate";
import { invalidateOn } from "@/app/invalidate";
import { router } from "@/app/router";
import { startTheme } from "@/app/theme";
import { live } from "@/live/store";
import "./style.css";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Events say when something is stale; a look back at the window need not ask again.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
    },
  },
});

startTheme();
listenForKeys();
invalidateOn(live, client);

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </QueryClientProvider>
    </StrictMode>,
  );
}

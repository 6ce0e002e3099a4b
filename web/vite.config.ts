import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: {
      "@": here("./src"),
      // It writes style elements, which the content security policy refuses; ours does the same with an attribute.
      "react-remove-scroll": here("./src/ui/remove-scroll.tsx"),
    },
  },
  build: {
    target: "es2022",
    // Nothing is inlined: the policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
  },
  server: {
    // `npm run dev` beside a keeper: its Host and Origin checks see its own address.
    proxy: {
      "^/(session|health|ready|alive|version|start-epoch|epochs|events|snapshot|approvals|attention|identity|knowledge|dreams|memory|management|metrics|openapi.json|evidence|deck/|cards|media-status|control-media|music/)":
        proxied(),
      "^/(agents|stdout|watchdog)": {
        ...proxied(),
        bypass: (request) => (wantsPage(request.headers.accept) ? "/index.html" : undefined),
      },
    },
  },
  test: {
    // A file that draws says so in its first line; a document for each file would take most of the time.
    environment: "node",
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    // A busy machine takes any time for the long ones; none of them measures it.
    testTimeout: 30_000,
    setupFiles: ["tests/waits.ts"],
  },
});

function proxied() {
  const target = process.env.ABIDE_ADDRESS ?? "http://127.0.0.1:7717";
  return { target, changeOrigin: true, headers: { origin: target } };
}

function wantsPage(accept: string | undefined): boolean {
  return (accept ?? "").includes("text/html");
}

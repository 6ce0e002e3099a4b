import { fileURLToPath } from "node:url";
import base from "./playwright.config";

const FONTS = fileURLToPath(new URL("./e2e/fonts.conf", import.meta.url));
const { launchOptions } = base.use ?? {};

// `npm run screens`: draws docs/screens/ anew.
export default {
  ...base,
  testIgnore: [],
  testMatch: "**/screens.spec.ts",
  use: {
    ...base.use,
    launchOptions: {
      ...launchOptions,
      args: [...(launchOptions?.args ?? []), "--font-render-hinting=none", "--hide-scrollbars"],
      env: { ...process.env, FONTCONFIG_FILE: FONTS },
    },
  },
};

import base from "./playwright.config";

// `npm run screens`: draws docs/screens/ anew.
export default { ...base, testIgnore: [], testMatch: "**/screens.spec.ts", timeout: 120_000 };

// What is missing at a first start, and how it is set up; and notices of this browser.
import { expect, test } from "./keeper";

test.describe("without a model", () => {
  test.use({ config: '[model]\nprovider = "auto"\n[irc]\nlisten = "off"\n' });

  test("a card says so, whether a key was found, and gives the lines", async ({ app, context, keeper }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: keeper.url });
    const page = await app.open("/");
    const card = page.getByRole("region", { name: /has no model/ });
    await expect(card).toContainText("not found");
    await card.getByLabel("Model").fill("claude-x");
    await card.getByRole("button", { name: "Copy" }).click();
    await expect(page.getByText("The lines copied", { exact: true })).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe('[model]\nprovider = "anthropic"\nname = "claude-x"');
    await card.getByRole("button", { name: "Look again" }).click();
    await expect(page.getByText("Still no model", { exact: true })).toBeVisible();
  });
});

test("who has a model sees no such card, and nobody told is said where it is missed", async ({ app }) => {
  const page = await app.open("/");
  await expect(page.getByRole("heading", { name: "Needs your decision" })).toBeVisible();
  await expect(page.getByRole("heading", { name: /no model/ })).toHaveCount(0);
  await app.open("/watchdog");
  const card = page.getByRole("region", { name: /Nobody is told outside of this page/ });
  await card.getByLabel("Tell me by").selectOption("Slack");
  await expect(card.getByRole("group")).toHaveText('[[notify]]\nkind = "slack"\nurl_env = "SLACK_URL"');
  await expect(card).toContainText("the address of an incoming webhook");
});

test.describe("with a service that tells somebody", () => {
  test.use({ config: '[[notify]]\nkind = "desktop"\nprogram = "/bin/true"\n' });

  test("nothing is said to be missing", async ({ app }) => {
    const page = await app.open("/watchdog");
    await expect(page.getByRole("button", { name: "Test page" })).toBeVisible();
    await expect(page.getByRole("heading", { name: /Nobody is told/ })).toHaveCount(0);
    await app.open("/settings");
    await expect(page.getByRole("region", { name: "Notices of this browser" })).toBeVisible();
  });
});

test.describe("with a model that is not there", () => {
  test.use({
    config:
      '[model]\nprovider = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nname = "m"\n[limits]\nattempts = 1\n',
  });

  test("this browser tells of what comes up while its tab is not looked at, and of nothing else", async ({
    app,
    context,
    keeper,
  }) => {
    await context.addInitScript(() => {
      const told: string[] = [];
      let permission = "default";
      let isHidden = false;
      class Fake {
        static get permission() {
          return permission;
        }
        static async requestPermission() {
          permission = "granted";
          return permission;
        }
        onclick: (() => void) | null = null;
        constructor(title: string, { body }: { body: string }) {
          told.push(`${title}: ${body}`);
        }
        close() {}
      }
      Object.assign(window, {
        Notification: Fake,
        told,
        hide: (to: boolean) => {
          isHidden = to;
          document.dispatchEvent(new Event("visibilitychange"));
        },
      });
      Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
    });
    const page = await app.open("/settings");
    const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told);
    const hide = (to: boolean) =>
      page.evaluate((is) => (window as unknown as { hide: (is: boolean) => void }).hide(is), to);
    await keeper.say("one");
    await page.getByRole("button", { name: "Notify this browser", exact: true }).click();
    await expect(page.getByRole("button", { name: "Notify this browser no longer" })).toBeVisible();
    await expect(page).toHaveTitle(/^\(1\)/);
    expect(await told()).toEqual([]);
    // While it is looked at, the page itself tells.
    await keeper.say("two");
    await expect(page).toHaveTitle(/^\(2\)/);
    expect(await told()).toEqual([]);
    await hide(true);
    await keeper.say("three");
    await expect.poll(told).toHaveLength(1);
    expect((await told())[0]).toMatch(/^felix needs you: felix gave no reply/);
    await hide(false);
    await page.getByRole("button", { name: "Notify this browser no longer" }).click();
    await hide(true);
    await keeper.say("four");
    await expect(page).toHaveTitle(/^\(4\)/);
    expect(await told()).toHaveLength(1);
  });
});

import { expect, test } from "./keeper";

test("a link signs a browser in once, and without one the page says how to get one", async ({
  browser,
  keeper,
}) => {
  test.skip(Boolean(process.env.WEB_FROM_DISK), "the way in is the binary's own");
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${keeper.url}/chat/felix`);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(page.getByText("abide token link")).toBeVisible();
  await page.getByLabel("Code, link or token").fill("nonsense");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("not one of this keeper's");
  await page.getByLabel("Code, link or token").fill(`${keeper.url}/?code=${await keeper.code()}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Felix", level: 1 })).toBeVisible();
  // Its cookie outlives the keeper.
  await keeper.down();
  await keeper.up();
  await page.reload();
  await expect(page.getByTestId("connection")).toHaveAttribute("data-phase", "live");
  await context.close();

  const other = await browser.newContext();
  const second = await other.newPage();
  await second.goto(keeper.link);
  await expect(second.getByText("Nothing needs you")).toBeVisible();
  const third = await (await browser.newContext()).newPage();
  await third.goto(keeper.link);
  await expect(third.getByRole("alert")).toContainText("used already");
});

test("a token that is pasted signs a browser in as its holder", async ({ browser, keeper }) => {
  test.skip(Boolean(process.env.WEB_FROM_DISK), "the way in is the binary's own");
  const page = await (await browser.newContext()).newPage();
  await page.goto(keeper.url);
  const sign = async (text: string) => {
    await page.getByLabel("Code, link or token").fill(text);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await sign("abd_0_0_0");
  await expect(page.getByRole("alert")).toContainText("This token is not one of this keeper's");
  await sign(await keeper.token());
  await expect(page.getByText("Nothing needs you")).toBeVisible();
});

test("the plain page stays beside the client", async ({ app, keeper }) => {
  test.skip(Boolean(process.env.WEB_FROM_DISK), "the plain page is the binary's own");
  await app.page.goto(`${keeper.url}/plain`);
  await expect(app.page.getByRole("heading", { name: "Conversation" })).toBeVisible();
});

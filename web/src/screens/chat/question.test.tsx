// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { ApiError } from "@/api/errors";
import type { FormFieldView, McpQuestionView } from "@/api/generated";
import { QuestionForm } from "./question-form";
import { firstTyped, valuesOf, webAddress } from "./question-values";

const call = vi.hoisted(() => vi.fn());
vi.mock("@/api/client", () => ({ call }));

afterEach(() => {
  cleanup();
  call.mockReset();
});

const field = (name: string, kind: string, more: Partial<FormFieldView> = {}): FormFieldView => ({
  name,
  kind,
  title: null,
  description: null,
  required: false,
  secret: false,
  format: null,
  min: null,
  max: null,
  choices: [],
  default: null,
  ...more,
});

const DAYS = [
  { value: "mo", title: "Monday" },
  { value: "tu", title: "Tuesday" },
];
const FIELDS = [
  field("user", "text", { title: "User\u202e", required: true }),
  field("password", "text", { secret: true }),
  field("age", "integer", { default: 7 }),
  field("share", "flag"),
  field("plan", "choice", { choices: [{ value: "a", title: "Small" }] }),
  field("days", "choices", { choices: DAYS }),
];

const QUESTION: McpQuestionView = {
  id: "1",
  server: "files",
  citizen: "felix",
  epoch_id: "e",
  message: "Who are you?\u200b",
  url: null,
  fields: FIELDS,
  since: "2026-01-01T00:00:00Z",
  deadline: "2026-01-01T00:05:00Z",
};

function draw(question: Partial<McpQuestionView> = {}): void {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <QuestionForm question={{ ...QUESTION, ...question }} />
    </QueryClientProvider>,
  );
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const type = (label: RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

it("quotes the program, and sends what is filled in as its fields have it", async () => {
  call.mockResolvedValue({});
  draw();
  expect(screen.getByText("Who are you?⟦U+200B⟧").tagName).toBe("BLOCKQUOTE");
  expect(screen.getByLabelText(/password/).getAttribute("type")).toBe("password");
  type(/User⟦U\+202E⟧/, "ann");
  type(/password/, "hush");
  type(/plan/, "a");
  fireEvent.click(screen.getByLabelText("Tuesday"));
  press("Accept");
  await waitFor(() => expect(call).toHaveBeenCalledOnce());
  expect(call).toHaveBeenCalledWith("POST /mcp/questions/{id}/answer", {
    path: { id: "1" },
    body: {
      accept: true,
      values: { user: "ann", password: "hush", age: 7, share: false, plan: "a", days: ["tu"] },
    },
  });
});

it("says what the keeper refuses, and keeps what was typed", async () => {
  call.mockRejectedValue(new ApiError(422, { message: "values.age: it is not of type integer" }));
  draw();
  type(/age/, "many");
  press("Accept");
  expect((await screen.findByRole("alert")).textContent).toContain("values.age");
  expect((screen.getByLabelText(/age/) as HTMLInputElement).value).toBe("many");
});

it("shows an address whole with its host, opens nothing, and sends no values", async () => {
  call.mockResolvedValue({});
  const url = "https://bank.example.evil.example/?x=1#y";
  draw({ url, fields: null });
  const link = screen.getByRole("link", { name: url });
  expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([url, "noopener noreferrer"]);
  expect(screen.getByText("bank.example.evil.example").tagName).toBe("STRONG");
  expect(call).not.toHaveBeenCalled();
  press("I have been there");
  await waitFor(() => expect(call).toHaveBeenCalledOnce());
  expect(call.mock.calls[0]?.[1].body).toEqual({ accept: true });
});

it("never makes a link of anything but a web address", () => {
  draw({ url: "javascript:alert(1)", fields: null });
  expect(screen.queryByRole("link")).toBeNull();
  expect(webAddress("https://münchen.example/")?.host).toBe("xn--mnchen-3ya.example");
});

it("declines without any value", async () => {
  call.mockResolvedValue({});
  draw();
  type(/password/, "hush");
  press("Decline");
  await waitFor(() => expect(call).toHaveBeenCalledOnce());
  expect(call.mock.calls[0]?.[1].body).toEqual({ accept: false });
});

it("leaves out what is left empty, and leaves a number that is none to the keeper", () => {
  const typed = { ...firstTyped(FIELDS), age: "many" };
  expect(valuesOf(FIELDS, typed)).toEqual({ age: "many", share: false });
});

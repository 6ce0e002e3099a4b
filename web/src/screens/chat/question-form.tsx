import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { AnswerBody, FormFieldView, McpQuestionView } from "@/api/generated";
import { attentionQuery, questionsQuery } from "@/api/queries";
import { useConnection } from "@/live/store";
import { Button, Input, Select, Time, visible, visibleLine } from "@/ui";
import { firstTyped, type Typed, valuesOf, webAddress } from "./question-values";

/** What a server asks, quoted as a foreign program's words, with what a person can answer. */
export function QuestionForm({ question }: { question: McpQuestionView }) {
  const fields = question.fields ?? [];
  const client = useQueryClient();
  const isOff = useConnection().phase === "offline";
  const [typed, setTyped] = useState<Typed>(() => firstTyped(fields));
  const [running, setRunning] = useState<"accept" | "decline" | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (body: AnswerBody) => {
    setRunning(body.accept ? "accept" : "decline");
    setProblem(null);
    try {
      await call("POST /mcp/questions/{id}/answer", { path: { id: question.id }, body });
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : "The answer could not be sent.");
    } finally {
      await Promise.all([
        client.invalidateQueries({ queryKey: questionsQuery.queryKey }),
        client.invalidateQueries({ queryKey: attentionQuery.queryKey }),
      ]);
      setRunning(null);
    }
  };
  const accept = (event: FormEvent) => {
    event.preventDefault();
    void send(question.fields ? { accept: true, values: valuesOf(fields, typed) } : { accept: true });
  };
  return (
    <form
      noValidate
      autoComplete="off"
      onSubmit={accept}
      className="flex flex-col gap-2 text-[13px] text-ink"
    >
      <p className="text-muted">
        The program <strong className="text-ink">{visibleLine(question.server)}</strong> says:
      </p>
      <blockquote
        dir="auto"
        className="border-l-2 border-line-strong pl-3 text-sm break-words whitespace-pre-wrap"
      >
        {visible(question.message)}
      </blockquote>
      {question.url && <Address url={question.url} />}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={typed[field.name]}
          onChange={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <p className="text-muted">
        {question.url ? "Nothing is opened for you. " : "What you fill in goes to that program alone. "}
        Expires <Time at={question.deadline} />.
      </p>
      {problem && (
        <p role="alert" className="text-fail">
          {visible(problem)}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={running === "accept"} disabled={running !== null || isOff}>
          {question.url ? "I have been there" : "Accept"}
        </Button>
        <Button
          busy={running === "decline"}
          disabled={running !== null || isOff}
          onClick={() => void send({ accept: false })}
        >
          Decline
        </Button>
      </div>
    </form>
  );
}

/** A web address as a link, whole; its host is what it leads to. */
function Address({ url }: { url: string }) {
  const web = webAddress(url);
  return (
    <p className="break-all">
      {web && (
        <>
          It wants you to visit <strong>{visibleLine(web.host)}</strong>:{" "}
        </>
      )}
      {web ? (
        <a href={url} target="_blank" rel="noopener noreferrer" className="underline">
          {visibleLine(url)}
        </a>
      ) : (
        <code>{visibleLine(url)}</code>
      )}
    </p>
  );
}

interface FieldProps {
  field: FormFieldView;
  value: Typed[string] | undefined;
  onChange: (value: Typed[string]) => void;
}

function Field({ field, value, onChange }: FieldProps) {
  const name = visibleLine(field.title || field.name);
  const label = field.required ? `${name} (required)` : name;
  const about = field.description ? visible(field.description) : "";
  if (field.kind === "flag") {
    return (
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label} {about && <span className="text-muted">{about}</span>}
      </label>
    );
  }
  if (field.kind === "choice") {
    return (
      <div>
        <Select label={label} value={String(value ?? "")} onChange={(event) => onChange(event.target.value)}>
          <option value="">—</option>
          {field.choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {visibleLine(choice.title)}
            </option>
          ))}
        </Select>
        {about && <p className="mt-1 text-xs text-muted">{about}</p>}
      </div>
    );
  }
  if (field.kind === "choices") {
    return <Choices field={field} label={label} about={about} value={value} onChange={onChange} />;
  }
  return (
    <Input
      label={label}
      {...(about ? { hint: about } : {})}
      type={field.secret ? "password" : "text"}
      inputMode={field.kind === "number" || field.kind === "integer" ? "decimal" : undefined}
      autoComplete="off"
      spellCheck={false}
      value={String(value ?? "")}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function Choices({ field, label, about, value, onChange }: FieldProps & { label: string; about: string }) {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset>
      <legend className="text-muted">{label}</legend>
      {about && <p className="text-xs text-muted">{about}</p>}
      {field.choices.map((choice) => (
        <label key={choice.value} className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={chosen.includes(choice.value)}
            onChange={(event) =>
              onChange(
                event.target.checked
                  ? [...chosen, choice.value]
                  : chosen.filter((one) => one !== choice.value),
              )
            }
          />
          {visibleLine(choice.title)}
        </label>
      ))}
    </fieldset>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useId } from "react";
import type { ConfigEntry } from "@/api/generated";
import { configQuery } from "@/api/queries";
import { Badge, Card, CardHead, count, EmptyState, Input, LoadError, Loading, Select } from "@/ui";
import { CommandLine } from "./command-line";
import { type Section, sectionsOf, sourceOf, waysOf } from "./in-force";
import { SHOWN } from "./search";

/** The values in force, each with its source. They are changed where the home is: the keeper writes no file for a browser. */
export function Configuration() {
  const read = useQuery(configQuery);
  return (
    <Card aria-labelledby="configuration-title">
      <CardHead
        id="configuration-title"
        title="Configuration"
        note="in force since the keeper started; a change counts from its next start"
      />
      {read.isPending && <Loading what="the configuration" />}
      {read.error && (
        <LoadError
          error={read.error}
          retry={() => void read.refetch()}
          what="The configuration could not be loaded"
        />
      )}
      {read.data && <Values file={read.data.file} items={read.data.items} />}
      <ul className="border-t border-line px-4 py-2">
        <CommandLine command="abide config print">The same at the command line.</CommandLine>
        <CommandLine command="abide config schema">The JSON schema of abide.toml, for editors.</CommandLine>
      </ul>
    </Card>
  );
}

function Values({ file, items }: { file: string; items: ConfigEntry[] }) {
  const { q = "", shown = "all" } = useSearch({ from: "/settings" });
  const navigate = useNavigate({ from: "/settings" });
  const put = (change: { q?: string | undefined; shown?: "set" | undefined }) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const sections = sectionsOf(items, q, shown === "set");
  const found = sections.reduce((sum, section) => sum + section.entries.length, 0);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-4 pb-2">
        <div className="relative min-w-0 grow basis-40">
          <Search aria-hidden className="absolute top-2.5 left-2.5 size-4 text-muted" />
          <Input
            label="Find in the configuration"
            hideLabel
            type="search"
            placeholder="Key, value, variable or line"
            maxLength={100}
            className="[&_input]:pl-8"
            value={q}
            onChange={(event) => put({ q: event.target.value || undefined })}
          />
        </div>
        <Select
          label="Which values"
          hideLabel
          className="w-36"
          value={shown}
          onChange={(event) =>
            put({ shown: SHOWN.find((one) => one === event.target.value) === "set" ? "set" : undefined })
          }
        >
          <option value="all">All values</option>
          <option value="set">Set by someone</option>
        </Select>
      </div>
      <p role="status" className="px-4 pb-2 text-xs text-muted">
        {count(found)} of {count(items.length)} values; the file is{" "}
        <code className="font-mono break-all">{file}</code>
      </p>
      {found === 0 && (
        <EmptyState title={q ? "No match" : "Everything has its default value"}>
          {q
            ? "Fewer words find more; keys are written as section.key."
            : "Nobody has set a value. abide config set KEY VALUE sets one."}
        </EmptyState>
      )}
      <section
        tabIndex={0}
        aria-label="Values in force"
        className="flex max-h-[36rem] flex-col gap-3 overflow-y-auto px-4 pb-4 focus-visible:-outline-offset-2"
      >
        {sections.map((section) => (
          <SectionValues key={section.name} section={section} file={file} />
        ))}
      </section>
    </>
  );
}

function SectionValues({ section, file }: { section: Section; file: string }) {
  const id = useId();
  return (
    <div>
      <h3 id={id} className="pb-1 font-mono text-xs text-muted">
        [{section.name}]
      </h3>
      <ul aria-labelledby={id} className="flex flex-col">
        {section.entries.map((entry) => (
          <li key={entry.key} className="border-t border-line py-1.5 text-[13px]">
            <Value entry={entry} file={file} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Value({ entry, file }: { entry: ConfigEntry; file: string }) {
  const { key, value, about, source, command } = entry;
  return (
    <details>
      <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-2 gap-y-1">
        <code className="min-w-0 font-mono text-xs break-words text-ink">
          {key.slice(key.lastIndexOf(".") + 1)} = {value}
        </code>
        <span className="ml-auto">
          <Badge tone={source.kind === "default" ? "plain" : "life"}>{sourceOf(entry)}</Badge>
        </span>
      </summary>
      <div className="flex flex-col gap-1 py-1 pl-3 text-muted">
        {about && <p className="break-words">{about}</p>}
        {entry.default && (
          <p>
            Where nobody sets it: <code className="font-mono text-xs break-words">{entry.default}</code>
          </p>
        )}
        <p className="break-words">{waysOf(entry, file)}</p>
        {command && (source.kind === "default" || source.kind === "file") && (
          <ul>
            <CommandLine command={command}>Comments in the file stay.</CommandLine>
          </ul>
        )}
      </div>
    </details>
  );
}

import { copyText } from "@/app/copy";
import { Badge, type BadgeTone, Code, cx, duration } from "@/ui";
import { Remark } from "./bounded";
import { Path } from "./file-text";
import { blockOf, counted, countOf, type Fields, fieldsOf, lineOf, pathOf } from "./read";

/** What a program wrote; of a long one the middle is missing. */
interface Written {
  head: string;
  /** Null where nothing is missing before it. */
  tail: string | null;
  missing: number;
}

export interface Command {
  command: string;
  folder: string;
  network: boolean;
  end:
    | { kind: "status"; code: number }
    | { kind: "signal"; signal: number }
    | { kind: "late"; words: string };
  stdout: Written;
  stderr: Written;
  durationMs: number | null;
}

/** `shell.run`, with what it was given. */
export function parseCommand(result: unknown, given: unknown): Command | null {
  const [fields, asked] = [fieldsOf(result), fieldsOf(given)];
  const [stdout, stderr] = [writtenOf(fields?.stdout), writtenOf(fields?.stderr)];
  const end = fields && endOf(fields);
  if (!end || !stdout || !stderr) return null;
  return {
    command: blockOf(asked?.command) ?? "",
    folder: pathOf(asked?.folder) ?? "",
    network: asked?.network === true,
    end,
    stdout,
    stderr,
    durationMs: countOf(fields.duration_ms),
  };
}

function endOf(fields: Fields): Command["end"] | null {
  const code = fields.exit_code;
  if (typeof code === "number" && Number.isSafeInteger(code)) return { kind: "status", code };
  const signal = countOf(fields.signal);
  if (signal !== null) return { kind: "signal", signal };
  const words = lineOf(fields.timed_out);
  return words === null ? null : { kind: "late", words };
}

/** Bytes that are kept of a longer output, as in `crates/workspace/src/shell/output.rs`. */
const KEPT_BYTES = 24 * 1024;
const MARK = /\n\[… (\d{1,15}) bytes left out …\]\n/g;

/** A program may write such a mark as well: only one with the number that is missing is the keeper's. */
function writtenOf(value: unknown): Written | null {
  const fields = fieldsOf(value);
  const [text, bytes] = [blockOf(fields?.text), countOf(fields?.bytes)];
  if (text === null || bytes === null) return null;
  const missing = bytes - KEPT_BYTES;
  for (const mark of missing > 0 ? text.matchAll(MARK) : []) {
    if (Number(mark[1]) !== missing) continue;
    return { head: text.slice(0, mark.index), tail: text.slice(mark.index + mark[0].length), missing };
  }
  return { head: text, tail: null, missing: 0 };
}

const SIGNALS: Record<number, string> = {
  1: "SIGHUP",
  2: "SIGINT",
  6: "SIGABRT",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  15: "SIGTERM",
};

function endWords(end: Command["end"]): { tone: BadgeTone; words: string } {
  if (end.kind === "status")
    return { tone: end.code === 0 ? "life" : "fail", words: `exit status ${end.code}` };
  if (end.kind === "late") return { tone: "fail", words: "ran out of time" };
  const name = SIGNALS[end.signal];
  return { tone: "fail", words: `ended by signal ${end.signal}${name ? ` (${name})` : ""}` };
}

export function CommandView({ model }: { model: Command }) {
  const { tone, words } = endWords(model.end);
  const isSilent = [model.stdout, model.stderr].every(({ head, tail }) => head === "" && tail === null);
  return (
    <div className="flex flex-col gap-2">
      {model.command && <Code label="Command" text={model.command} chars={1_000} />}
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
        <Badge tone={tone}>{words}</Badge>
        {model.durationMs !== null && <span>{duration(model.durationMs)}</span>}
        {model.folder && (
          <span className="break-all">
            in <Path path={model.folder} />
          </span>
        )}
        {model.network && <span>with network</span>}
      </p>
      {model.end.kind === "late" && <Remark>{model.end.words}</Remark>}
      {isSilent && <Remark>It wrote nothing.</Remark>}
      <WrittenView written={model.stdout} label="Output" />
      <WrittenView written={model.stderr} label="Errors and remarks (standard error)" isError />
    </div>
  );
}

function WrittenView({ written, label, isError }: { written: Written; label: string; isError?: boolean }) {
  const { head, tail, missing } = written;
  if (head === "" && tail === null) return null;
  const all = tail === null ? head : `${head}\n[… ${missing} bytes left out …]\n${tail}`;
  return (
    <div className={cx("flex flex-col gap-1", isError && "border-l-2 border-wait/60 pl-2")}>
      <p className={cx("text-xs", isError ? "text-wait" : "text-muted")}>{label}</p>
      <Code label={label} text={head} onCopy={() => void copyText(all, label)} />
      {tail !== null && (
        <>
          <p className="text-center text-xs text-wait">{counted(missing, "byte")} left out here</p>
          <Code label={`${label}, its end`} text={tail} />
        </>
      )}
    </div>
  );
}

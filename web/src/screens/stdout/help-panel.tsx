import { Card, CardHead } from "@/ui";
import { EXAMPLES } from "./language";

/** A command whose end, `---`, is not broken across lines. */
function Unbroken({ text }: { text: string }) {
  return text.split(/(?= ---)/).map((part, at) =>
    part.startsWith(" ---") ? (
      <span key={at}>
        {" "}
        <span className="whitespace-nowrap">---</span>
        {part.slice(4)}
      </span>
    ) : (
      part
    ),
  );
}

/** Examples; pressed, they stand in the field, to be changed and run. */
export function HelpPanel({ onTake }: { onTake: (command: string) => void }) {
  return (
    <Card aria-labelledby="help-title">
      <CardHead id="help-title" title="Examples" note="pressed, they stand in the field" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        {EXAMPLES.map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h3 className="text-xs font-semibold tracking-wide text-muted uppercase">{group.title}</h3>
            <ul>
              {group.examples.map((example) => (
                <li key={example.command} className="py-1">
                  <button
                    type="button"
                    className="w-full rounded-md px-1 text-left hover:bg-raised"
                    onClick={() => onTake(example.command)}
                  >
                    <code className="font-mono text-xs break-words text-ink">
                      <Unbroken text={example.command} />
                    </code>
                    <span className="block text-[13px] text-muted">{example.about}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <p className="text-[13px] text-muted">
          In conditions: <code>tick</code>, <code>content</code>, <code>entity</code>, <code>timestamp</code>,{" "}
          <code>kind</code> with <code>&lt; &lt;= = != &gt;= &gt; contains matches</code>, joined by{" "}
          <code>and or not ( )</code>. <code>\---</code> writes a literal <code>---</code>.
        </p>
      </div>
    </Card>
  );
}

import { Code } from "@/ui";
import { blockOf, counted, fieldsOf, lineOf, linesOf, pathOf } from "./read";

export interface Skill {
  name: string;
  file: string;
  text: string;
}

/** `skills.read`. */
export function parseSkill(result: unknown): Skill | null {
  const fields = fieldsOf(result);
  const [name, file, text] = [lineOf(fields?.name, 80), pathOf(fields?.file), blockOf(fields?.text)];
  return name && file && text !== null ? { name, file, text } : null;
}

export function SkillView({ model }: { model: Skill }) {
  return (
    <details>
      <summary className="cursor-pointer break-words">
        <span className="font-medium text-ink">{model.name}</span>{" "}
        <span className="text-muted">
          {model.file}, {counted(linesOf(model.text).length, "line")}
        </span>
      </summary>
      <div className="pt-1">
        <Code label={`Text of ${model.name}/${model.file}`} text={model.text} />
      </div>
    </details>
  );
}

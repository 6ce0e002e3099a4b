import { useQuery } from "@tanstack/react-query";
import { MessageCircleQuestion } from "lucide-react";
import { useId } from "react";
import type { McpQuestionView } from "@/api/generated";
import { questionsQuery } from "@/api/queries";
import { visibleLine } from "@/ui";
import { QuestionForm } from "./question-form";

/** What servers ask in calls of an epoch. */
export function Questions({ epoch }: { epoch: string }) {
  const found = useQuery(questionsQuery).data?.items ?? [];
  return found
    .filter((question) => question.epoch_id === epoch)
    .map((question) => <QuestionCard key={question.id} question={question} />);
}

function QuestionCard({ question }: { question: McpQuestionView }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="rounded-xl border border-wait/60 bg-wait-soft px-4 py-3">
      <p id={id} className="mb-1 flex items-center gap-2 font-medium text-ink">
        <MessageCircleQuestion aria-hidden className="size-4 shrink-0 text-wait" />
        <span className="min-w-0 break-words">The server {visibleLine(question.server)} asks you</span>
      </p>
      <QuestionForm question={question} />
    </section>
  );
}

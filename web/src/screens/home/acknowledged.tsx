import type { AcknowledgementView } from "@/api/generated";
import { Badge, Clock, useNow } from "@/ui";

/** Who has a stall in hand, and until when; nothing once that time is over. */
export function Acknowledged({ by: { by, until } }: { by: AcknowledgementView }) {
  if (Date.parse(until) <= useNow()) return null;
  return (
    <Badge tone="life">
      acknowledged by {by} until <Clock at={until} />
    </Badge>
  );
}

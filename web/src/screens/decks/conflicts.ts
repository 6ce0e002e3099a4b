// Why lines were not taken: what the keeper says of each, read from a refusal.
import { type ApiError, isRecord } from "@/api/errors";
import type { DeckConflictView } from "@/api/generated";

export function conflictsOf(error: ApiError): DeckConflictView[] {
  return (error.detail?.conflicts ?? []).filter(isConflict);
}

function isConflict(value: unknown): value is DeckConflictView {
  return isRecord(value) && typeof value.id === "number" && typeof value.cause === "string";
}

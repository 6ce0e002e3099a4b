// How kinds of matters look and what they are called.
import {
  AlarmClock,
  BookUser,
  CircleDollarSign,
  CircleX,
  Clock,
  Database,
  Dna,
  Hand,
  HardDrive,
  Lightbulb,
  type LucideIcon,
  MessageCircleQuestion,
  MoonStar,
  PauseCircle,
  Server,
  Unplug,
  Wrench,
} from "lucide-react";
import type { BadgeTone } from "@/ui";

export interface Look {
  icon: LucideIcon;
  word: string;
  tone: BadgeTone;
}

const LOOKS: Record<string, Look> = {
  approval: { icon: Hand, word: "approval", tone: "wait" },
  question: { icon: MessageCircleQuestion, word: "question", tone: "wait" },
  stall: { icon: AlarmClock, word: "stall", tone: "fail" },
  epoch_failed: { icon: CircleX, word: "no reply", tone: "fail" },
  budget: { icon: CircleDollarSign, word: "budget", tone: "wait" },
  sleep: { icon: MoonStar, word: "sleep failed", tone: "fail" },
  identity: { icon: BookUser, word: "identity", tone: "thought" },
  tools: { icon: Wrench, word: "tools", tone: "wait" },
  evolution: { icon: Dna, word: "evolution", tone: "thought" },
  parked: { icon: PauseCircle, word: "parked", tone: "wait" },
  disk: { icon: HardDrive, word: "disk", tone: "fail" },
  fact: { icon: Lightbulb, word: "fact", tone: "thought" },
  unreachable: { icon: Unplug, word: "unreachable", tone: "fail" },
  clock: { icon: Clock, word: "clock", tone: "wait" },
  keeper: { icon: Server, word: "keeper", tone: "fail" },
  memory: { icon: Database, word: "memory", tone: "fail" },
  ledger: { icon: Database, word: "ledger", tone: "fail" },
};

export function lookOf(kind: string): Look {
  return LOOKS[kind] ?? { icon: AlarmClock, word: kind.replaceAll("_", " "), tone: "plain" };
}

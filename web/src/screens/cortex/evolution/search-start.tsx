import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "@/api/client";
import type { RankingSearchView } from "@/api/generated";
import { toast } from "@/app/toasts";
import { Button, count, Dialog, duration, Input, LoadError, Select } from "@/ui";
import { expectedMs, GENERATIONS, POPULATION, planned, SEED_MAX, type SearchKind } from "./search-model";

/** What a search is started with, and what it takes before it is. */
export function SearchStart(props: { agent: string; last: RankingSearchView | null; onClose: () => void }) {
  const { agent, last, onClose } = props;
  const client = useQueryClient();
  const [kind, setKind] = useState<SearchKind>("structure");
  const [generations, setGenerations] = useState(String(GENERATIONS.usual));
  const [population, setPopulation] = useState(String(POPULATION.usual));
  const [seed, setSeed] = useState("");
  const [starting, setStarting] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const start = async (event: FormEvent) => {
    event.preventDefault();
    setStarting(true);
    setRefused(null);
    try {
      const body = {
        citizen: agent,
        kind,
        generations: Number(generations),
        population: Number(population),
        seed: seed === "" ? null : Number(seed),
      };
      const begun = await call("POST /evolutions/search", { body });
      client.setQueryData(["evolution", agent, "search"], begun);
      await client.invalidateQueries({ queryKey: ["evolution", agent, "search"] });
      toast({
        title: "The search has begun",
        note: "It goes on in the keeper, also when this page is closed.",
      });
      onClose();
    } catch (error) {
      setRefused(error);
    } finally {
      setStarting(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Search for a better order of memories"
      about="By what the agent was asked before. It needs 40 questions whose reply shows which memories it rests on."
    >
      <form className="flex flex-col gap-3 px-4 pt-1 pb-4" onSubmit={(event) => void start(event)}>
        <Select
          label="What it looks for"
          value={kind}
          onChange={(event) => setKind(event.target.value === "weights" ? "weights" : "structure")}
        >
          <option value="structure">Weights, then other expressions</option>
          <option value="weights">Weights alone, half as long</option>
        </Select>
        <div className="grid gap-3 sm:grid-cols-2">
          <Input
            label="Generations of each part"
            type="number"
            inputMode="numeric"
            required
            min={GENERATIONS.min}
            max={GENERATIONS.max}
            value={generations}
            onChange={(event) => setGenerations(event.target.value)}
          />
          <Input
            label="Candidates at a time"
            type="number"
            inputMode="numeric"
            required
            min={POPULATION.min}
            max={POPULATION.max}
            value={population}
            onChange={(event) => setPopulation(event.target.value)}
          />
        </div>
        <Input
          label="Seed, if it is to be the same as another search"
          type="number"
          inputMode="numeric"
          min={0}
          max={SEED_MAX}
          value={seed}
          placeholder="another each time"
          hint="The same seed on the same record finds the same."
          onChange={(event) => setSeed(event.target.value)}
        />
        <Costs kind={kind} generations={Number(generations)} population={Number(population)} last={last} />
        {refused !== null && <LoadError what="The search was not started." error={refused} />}
        <div className="flex justify-end gap-2">
          <Button tone="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" busy={starting}>
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What it takes: said before it begins. */
function Costs(props: {
  kind: SearchKind;
  generations: number;
  population: number;
  last: RankingSearchView | null;
}) {
  const { kind, generations, population, last } = props;
  const expressions = planned(kind, generations, population);
  const expected = expectedMs(last, expressions);
  return (
    <section
      aria-label="What it takes"
      className="rounded-md border border-line bg-field px-3 py-2 text-sm text-muted"
    >
      <p className="text-ink">
        {Number.isFinite(expressions) && expressions > 0
          ? `It measures up to ${count(expressions)} candidates. `
          : "It measures as many candidates as you say. "}
        It costs no money: no model is asked.
      </p>
      <ul className="list-disc pl-5">
        <li>
          {expected === null
            ? "How long that takes depends on the record and the machine; "
            : `At the pace of the last search that takes about ${duration(Math.round(expected))}; `}
          after two hours of work it ends with what it has.
        </li>
        <li>
          It takes one thread of the keeper, which gives way to all others, and can be stopped at any time.
        </li>
        <li>What it finds is proposed like any change: tried before it counts.</li>
        {last && <li>It takes the place of the last search here; what that proposed stays.</li>}
      </ul>
    </section>
  );
}

import { useQuery } from "@tanstack/react-query";
import { PlugZap, RefreshCw } from "lucide-react";
import { useState } from "react";
import { agentsQuery, configQuery } from "@/api/queries";
import { toast, toastError } from "@/app/toasts";
import { Badge, Button, Card, CardHead, Input, Select } from "@/ui";
import { Lines } from "./lines";
import { modelLines, PROVIDERS, withoutModel } from "./model-lines";

/** While an agent has no model: what is missing, and the lines that give it one. Nothing where all have what they need. */
export function ModelCard() {
  const agents = useQuery(agentsQuery);
  const config = useQuery(configQuery);
  const [provider, setProvider] = useState(PROVIDERS[0]?.id ?? "");
  const [name, setName] = useState("");
  const [isLooking, setLooking] = useState(false);
  const missing = withoutModel(agents.data?.items ?? [], config.data);
  if (missing.length === 0 || !config.data) return null;
  const chosen = PROVIDERS.find((one) => one.id === provider);
  const found = config.data.keys_found;
  const lines = modelLines(provider, name);
  const look = async () => {
    setLooking(true);
    const [file, list] = await Promise.all([config.refetch(), agents.refetch()]);
    setLooking(false);
    const failed = file.error ?? list.error;
    if (failed) return toastError("That could not be looked up", failed);
    const still = withoutModel(list.data?.items ?? [], file.data);
    toast({
      title: still.length === 0 ? "There is a model now" : "Still no model",
      ...(still.length > 0 && {
        note: "The file and the keys are read at a start: stop the keeper and start it again with abide up. abide doctor says what is missing.",
        ms: 12_000,
      }),
    });
  };
  const names = missing.map((one) => one.name).join(", ");
  return (
    <Card aria-labelledby="setup-title" className="border-wait/60">
      <CardHead
        id="setup-title"
        title={`${names} ${missing.length === 1 ? "has" : "have"} no model`}
        note="and answers by simple rules until then"
      />
      <div className="flex flex-col gap-3 px-4 pb-4 text-sm">
        <div className="flex flex-wrap items-end gap-2">
          <Select
            label="Provider"
            className="min-w-48 flex-1"
            value={provider}
            onChange={(event) => setProvider(event.target.value)}
          >
            {PROVIDERS.map((one) => (
              <option key={one.id} value={one.id}>
                {one.label}
              </option>
            ))}
          </Select>
          <Input
            label="Model"
            className="min-w-40 flex-1"
            placeholder={chosen?.example ?? ""}
            maxLength={100}
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Lines label={`Into ${config.data.file}`} text={lines} what="The lines" />
        {chosen?.key && (
          <p className="flex flex-wrap items-center gap-2 text-[13px] text-ink">
            <code className="font-mono">{chosen.key}</code>
            {found.includes(chosen.key) ? (
              <Badge tone="life">found in the keeper's environment</Badge>
            ) : (
              <>
                <Badge tone="wait">not found</Badge>
                <span className="text-muted">
                  Set it where the keeper is started; the key itself belongs into no file.
                </span>
              </>
            )}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            busy={isLooking}
            icon={<RefreshCw aria-hidden className="size-4" />}
            onClick={() => void look()}
          >
            Look again
          </Button>
          <span className="flex min-w-0 items-center gap-1.5 text-[13px] text-muted">
            <PlugZap aria-hidden className="size-4 shrink-0" />
            <span>
              then <code>abide up</code> again; <code>abide doctor --model</code> asks it a question.
            </span>
          </span>
        </div>
      </div>
    </Card>
  );
}

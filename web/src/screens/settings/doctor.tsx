import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "@/api/queries";
import { useConnection } from "@/live/store";
import { useStalled } from "@/screens/home/standing";
import { Badge, type BadgeTone, Card, CardHead, LoadError, Loading, span, visible } from "@/ui";
import { checksOf, ircCommand, type Verdict } from "./checks";
import { CommandLine } from "./command-line";
import { conditionQuery, snapshotQuery } from "./queries";

const TONES: Record<Verdict, BadgeTone> = { ok: "life", warn: "wait", fail: "fail" };

/** What this page can see, and what only the command line can. */
export function Doctor() {
  const health = useQuery(conditionQuery);
  const snapshot = useQuery(snapshotQuery);
  const agents = useQuery(agentsQuery);
  const stalled = useStalled();
  const { phase } = useConnection();
  const checks = checksOf({
    health: health.data,
    snapshot: snapshot.data,
    agents: agents.data?.items ?? [],
    stalled,
    phase,
  });
  const again = () => {
    for (const query of [health, snapshot, agents]) void query.refetch();
  };
  return (
    <Card aria-labelledby="doctor-title">
      <CardHead id="doctor-title" title="Doctor" note="what this page can see" />
      <div className="px-4 pb-4">
        {health.isPending && <Loading what="how the keeper is" />}
        {health.isError && (
          <LoadError what="The state of the keeper could not be loaded." error={health.error} retry={again} />
        )}
        <ul aria-label="Checks">
          {checks.map((check) => (
            <li key={check.name} className="flex items-baseline gap-3 py-1 text-[13px]">
              <span className="w-14 shrink-0">
                <Badge tone={TONES[check.verdict]}>{check.verdict}</Badge>
              </span>
              <span className="w-28 shrink-0 break-words text-muted">{check.name}</span>
              <span dir="auto" className="min-w-0 break-words text-ink">
                {visible(check.detail)}
              </span>
            </li>
          ))}
        </ul>
        <ByIrc server={health.data?.irc?.server} />
        <h3 className="mt-3 mb-1 text-xs font-semibold tracking-wide text-muted uppercase">
          What only the command line can see
        </h3>
        <ul>
          <CommandLine command="abide doctor">
            The home and its token are their owner's alone, free disk, whether writes reach it, every line of
            the ledger, the configuration, each model, the running keeper.
          </CommandLine>
          <CommandLine command="abide doctor --fix">Repairs what can be repaired without loss.</CommandLine>
          <CommandLine command="abide ledger verify">Reads the whole log and checks its chain.</CommandLine>
        </ul>
      </div>
    </Card>
  );
}

/** How to talk to agents in a terminal. */
function ByIrc({ server }: { server: string | undefined }) {
  const command = ircCommand(server);
  if (!command) return null;
  return (
    <>
      <h3 className="mt-3 mb-1 text-xs font-semibold tracking-wide text-muted uppercase">
        Talk to agents by IRC
      </h3>
      <ul>
        <CommandLine command={command}>
          In irssi; then in #abide <code>@felix hello</code>, or any other agent's name.{" "}
          <code>abide token create YOUR-NAME</code> makes a token; with <code>[irc] cert</code> set, add{" "}
          <code>-tls</code>.
        </CommandLine>
      </ul>
    </>
  );
}

/** The keeper in figures. */
export function KeeperFigures() {
  const health = useQuery(conditionQuery);
  const snapshot = useQuery(snapshotQuery);
  const rows: [name: string, value: React.ReactNode][] = [
    ["Version", health.data?.version],
    ["Status", snapshot.data?.status ?? health.data?.status],
    ["Up", health.data && span(health.data.uptime_s)],
    ["Lines of the ledger", snapshot.data?.seq.toLocaleString("en")],
    ["Tick", snapshot.data?.tick.toLocaleString("en")],
    ["Chain head", snapshot.data && <Digest text={snapshot.data.chain_head} />],
    ["State", snapshot.data && <Digest text={snapshot.data.state_digest} />],
  ];
  return (
    <Card aria-labelledby="keeper-title">
      <CardHead id="keeper-title" title="Keeper" />
      {snapshot.isPending && <Loading what="the keeper" />}
      {snapshot.isError && <LoadError error={snapshot.error} retry={() => void snapshot.refetch()} />}
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 px-4 pb-3 sm:grid-cols-4">
        {rows.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-[13px] break-words text-ink">{value ?? "unknown"}</dd>
          </div>
        ))}
      </dl>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-4 text-[13px]">
        {[
          ["/openapi.json", "The interface (OpenAPI)"],
          ["/metrics", "Metrics"],
          ["/plain", "The plain page"],
        ].map(([path, name]) => (
          <li key={path}>
            <a href={path} target="_blank" rel="noopener noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Digest({ text }: { text: string }) {
  return (
    <code title={text} className="font-mono text-xs">
      {text.slice(0, 16)}…
    </code>
  );
}

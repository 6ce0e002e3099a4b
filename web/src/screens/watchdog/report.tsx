import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button, Card, CardHead, Code, LoadError, Loading, Select } from "@/ui";
import { reportQuery } from "./api";

const SPANS: [hours: number, name: string][] = [
  [8, "8 hours"],
  [24, "a day"],
  [168, "a week"],
];

/** What happened while nobody looked. It is read from the whole ledger, so it is asked for when wanted. */
export function Report() {
  const [hours, setHours] = useState(8);
  const [isAsked, setAsked] = useState(false);
  const report = useQuery({ ...reportQuery(hours), enabled: isAsked });
  return (
    <Card aria-labelledby="report-title">
      <CardHead id="report-title" title="What happened" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        <div className="flex flex-wrap items-end gap-2">
          <Select
            className="w-36"
            label="In the last"
            value={hours}
            onChange={(event) => setHours(Number(event.target.value))}
          >
            {SPANS.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
          <Button busy={report.isFetching} onClick={() => (isAsked ? void report.refetch() : setAsked(true))}>
            Tell
          </Button>
        </div>
        {isAsked && report.isPending && <Loading what="the report" />}
        {report.isError && <LoadError error={report.error} retry={() => void report.refetch()} />}
        {report.data !== undefined && <Code text={report.data} label="Report" chars={20_000} />}
      </div>
    </Card>
  );
}

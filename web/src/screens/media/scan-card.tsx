// What the scan of the folders is at, and what it could not read.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useEffect, useRef } from "react";
import { call } from "@/api/client";
import type { LibraryScanView } from "@/api/generated";
import { scanQuery } from "@/api/queries";
import { toastError } from "@/app/toasts";
import { Button, LoadError, Menu, Time, visibleLine } from "@/ui";
import { countOf, scanLine } from "./words";

export function ScanCard() {
  const client = useQueryClient();
  const scan = useQuery(scanQuery);
  const mark = scan.data && `${scan.data.finished_at} ${scan.data.files} ${scan.data.missing}`;
  const before = useRef(mark);
  // What a scan found is read anew.
  useEffect(() => {
    const was = before.current;
    before.current = mark;
    if (was !== undefined && mark !== undefined && was !== mark)
      void client.resetQueries({ queryKey: ["library"] });
  }, [mark, client]);
  if (scan.isError) return <LoadError what="The scan could not be asked for." error={scan.error} />;
  if (!scan.data) return null;
  const start = async (everything: boolean) => {
    try {
      client.setQueryData(scanQuery.queryKey, await call("POST /music/scan", { body: { everything } }));
      void client.invalidateQueries({ queryKey: scanQuery.queryKey });
    } catch (error) {
      toastError("The scan was not started", error);
    }
  };
  const isScanning = scan.data.state === "scanning";
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-1 text-[13px] text-muted">
      <div className="min-w-0 flex-1">
        <p role="status" className={scan.data.state === "failed" ? "text-fail" : ""}>
          {scanLine(scan.data)}
          {scan.data.state === "idle" && scan.data.finished_at && (
            <>
              , scanned <Time at={scan.data.finished_at} />
            </>
          )}
        </p>
        {isScanning && scan.data.to_read > 0 && (
          <progress
            aria-label="Files read"
            className="call-step max-w-80"
            max={scan.data.to_read}
            value={Math.min(scan.data.read, scan.data.to_read)}
          />
        )}
        <Problems scan={scan.data} />
      </div>
      {scan.data.state !== "off" && (
        <Menu
          label="Scan the folders"
          trigger={
            <Button size="s" busy={isScanning} icon={<RefreshCw aria-hidden className="size-4" />}>
              Scan…
            </Button>
          }
          items={[
            { label: "Look for changed files", onSelect: () => void start(false) },
            { label: "Read every file again", onSelect: () => void start(true) },
          ]}
        />
      )}
    </div>
  );
}

function Problems({ scan }: { scan: LibraryScanView }) {
  if (scan.errors_total === 0) return null;
  const rest = scan.errors_total - scan.errors.length;
  return (
    <details className="text-wait">
      <summary className="cursor-pointer">
        {countOf(scan.errors_total, "file or folder", "files and folders")} could not be read as they should
      </summary>
      <ul className="max-h-48 overflow-y-auto pl-4" tabIndex={0} aria-label="What could not be read">
        {scan.errors.map((one, at) => (
          <li key={at} className="list-disc break-words">
            <span className="font-mono text-xs">{visibleLine(one.path)}</span>: {visibleLine(one.problem)}
          </li>
        ))}
      </ul>
      {rest > 0 && <p>and {countOf(rest, "other")}</p>}
    </details>
  );
}

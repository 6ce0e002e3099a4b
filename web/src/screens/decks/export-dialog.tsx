import { useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "@/app/copy";
import { Button, Dialog, LoadError, Loading, Select, Textarea, visible } from "@/ui";
import { exportQuery } from "./queries";

const FORMATS: [id: string, name: string][] = [
  ["moxfield", "Moxfield"],
  ["archidekt", "Archidekt"],
  ["arena", "Arena"],
  ["mtgo", "Magic Online, text"],
  ["dek", "Magic Online, .dek"],
];

/** The deck as text other programs read, with what of it is lost on the way. */
export function ExportDialog({ deck, onClose }: { deck: string; onClose: () => void }) {
  const [format, setFormat] = useState("moxfield");
  const asked = useQuery(exportQuery(deck, format));
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Export the deck">
      <div className="flex flex-col gap-3 px-4 pb-4 text-sm">
        <Select label="Form" value={format} onChange={(event) => setFormat(event.target.value)}>
          {FORMATS.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        {asked.isPending && <Loading what="the list" />}
        {asked.isError && <LoadError what="The deck could not be exported." error={asked.error} />}
        {asked.data && (
          <>
            <Textarea
              label="The list"
              hideLabel
              readOnly
              rows={14}
              className="[&_textarea]:font-mono [&_textarea]:text-[13px]"
              value={asked.data.text}
            />
            {asked.data.lost.length > 0 && (
              <div className="text-[13px] text-wait">
                <p>This form cannot hold all of it:</p>
                <ul className="list-disc pl-5">
                  {asked.data.lost.map((one, at) => (
                    <li key={at} className="break-words">
                      {visible(one)}
                    </li>
                  ))}
                </ul>
              </div>
            )}
            <Button
              tone="primary"
              className="self-end"
              icon={<Copy aria-hidden className="size-4" />}
              onClick={() => void copyText(asked.data.text, "The list")}
            >
              Copy
            </Button>
          </>
        )}
      </div>
    </Dialog>
  );
}

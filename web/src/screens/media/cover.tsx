import { Music2 } from "lucide-react";
import { useState } from "react";
import { cx } from "@/ui";
import { coverPath } from "./queries";

/** The cover of a track or an album; a note stands where there is none. It says nothing that the words beside it do not. */
export function Cover({ digest, className }: { digest: string | null | undefined; className?: string }) {
  const [failed, setFailed] = useState("");
  return (
    <span
      aria-hidden
      className={cx(
        "grid shrink-0 place-items-center overflow-hidden rounded-md border border-line bg-raised text-muted",
        className,
      )}
    >
      {digest && failed !== digest ? (
        <img
          src={coverPath(digest)}
          alt=""
          loading="lazy"
          decoding="async"
          className="size-full object-cover"
          onError={() => setFailed(digest)}
        />
      ) : (
        <Music2 className="size-1/2" />
      )}
    </span>
  );
}

// A card as text and as a picture. The text stands there until the picture does, and for good where there is none.
import { useState } from "react";
import type { CardFaceView, CardFactsView } from "@/api/generated";
import { cx, visible, visibleLine } from "@/ui";
import { ManaCost } from "./mana-cost";
import { imagePath } from "./routes";

/** All that a card says. */
export function CardText({ card, className }: { card: CardFactsView; className?: string }) {
  const faces: readonly (CardFaceView | CardFactsView)[] = card.faces?.length ? card.faces : [card];
  return (
    <div className={cx("flex flex-col gap-3 text-sm text-ink", className)}>
      {faces.map((face, at) => (
        <div key={at}>
          <p className="flex items-start gap-2">
            <span dir="auto" className="min-w-0 flex-1 font-semibold break-words">
              {visibleLine(face.name)}
            </span>
            <ManaCost cost={face.mana_cost} className="mt-0.5" />
          </p>
          <p className="text-[13px] text-muted">{visibleLine(face.type_line)}</p>
          {face.rules_text && (
            <p className="mt-1.5 text-[13px] leading-snug break-words whitespace-pre-line">
              {visible(face.rules_text)}
            </p>
          )}
          {face.power != null && face.toughness != null && (
            <p className="mt-1 text-right font-medium">
              {visibleLine(face.power)}/{visibleLine(face.toughness)}
            </p>
          )}
        </div>
      ))}
      {!card.known && (
        <p className="text-[13px] text-wait">The keeper's card table does not know this card.</p>
      )}
    </div>
  );
}

/** A card as its picture where one can be had. The text stays for those who hear it. */
export function CardFront({ card, face = 0 }: { card: CardFactsView; face?: number }) {
  const [state, setState] = useState<"waits" | "there" | "none">(card.image ? "waits" : "none");
  return (
    <div className="relative aspect-[488/680] w-full overflow-hidden rounded-[4.5%/3.3%] border border-line-strong bg-surface">
      {state !== "none" && (
        <img
          src={imagePath(card.oracle_id, "normal", face)}
          alt=""
          width={488}
          height={680}
          decoding="async"
          draggable={false}
          onLoad={() => setState("there")}
          onError={() => setState("none")}
          className={cx("absolute inset-0 size-full", state !== "there" && "opacity-0")}
        />
      )}
      <div className={state === "there" ? "sr-only" : "h-full overflow-y-auto p-3"} data-testid="text-card">
        <CardText card={card} />
      </div>
    </div>
  );
}

/** The picture alone, for where the text stands beside it anyway; nothing where there is none. */
export function CardPicture({ card, face }: { card: CardFactsView; face: number }) {
  const [state, setState] = useState<"waits" | "there" | "none">("waits");
  if (state === "none") return null;
  return (
    <img
      src={imagePath(card.oracle_id, "normal", face)}
      alt=""
      width={488}
      height={680}
      decoding="async"
      draggable={false}
      onLoad={() => setState("there")}
      onError={() => setState("none")}
      className={cx("h-auto w-full rounded-[4.5%/3.3%]", state !== "there" && "opacity-0")}
    />
  );
}

/** The middle of a small picture, for a line of a list; its colours until it is there. */
export function CardThumb({
  card,
}: {
  card: Pick<CardFactsView, "oracle_id" | "image" | "colour_identity">;
}) {
  const [isGone, setGone] = useState(false);
  return (
    <span
      aria-hidden
      className="flex h-7 w-9 shrink-0 items-center justify-center overflow-hidden rounded bg-raised text-[10px] tracking-wide text-muted"
    >
      {card.image && !isGone ? (
        <img
          src={imagePath(card.oracle_id, "small")}
          alt=""
          width={146}
          height={204}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setGone(true)}
          className="size-full object-cover object-[50%_22%]"
        />
      ) : (
        card.colour_identity.join("") || "C"
      )}
    </span>
  );
}

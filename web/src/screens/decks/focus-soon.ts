/** So many frames may pass until a part that was just opened is drawn. */
const FRAMES_MAX = 90;

/** Gives the focus to an element as soon as it is there. */
export function focusSoon(id: string, frames = FRAMES_MAX): void {
  const element = document.getElementById(id);
  if (element) element.focus();
  else if (frames > 0) requestAnimationFrame(() => focusSoon(id, frames - 1));
}

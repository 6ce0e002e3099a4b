export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Size {
  width: number;
  height: number;
}

const GAP_PX = 8;

/** Where something stands beside a box: to its right, else to its left, else over it; never outside of the window. */
export function placeBeside(anchor: Box, size: Size, page: Size): { left: number; top: number } {
  const right = anchor.right + GAP_PX;
  const left = anchor.left - GAP_PX - size.width;
  const within = (at: number, own: number, whole: number) =>
    Math.max(GAP_PX, Math.min(at, whole - own - GAP_PX));
  const x = right + size.width + GAP_PX <= page.width ? right : left >= GAP_PX ? left : right;
  return {
    left: within(x, size.width, page.width),
    top: within((anchor.top + anchor.bottom) / 2 - size.height / 2, size.height, page.height),
  };
}

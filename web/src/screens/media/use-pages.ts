// Rows that come page by page: all that were read, and the next page when the end of a list is near.
import type { InfiniteData } from "@tanstack/react-query";
import { useMemo } from "react";

/** How far from its end a list asks for more. */
const NEAR_PX = 1_200;

export function useRows<T>(data: InfiniteData<{ items: T[] }> | undefined): T[] {
  return useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
}

interface Pages {
  hasNextPage: boolean;
  isFetching: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/** For a list that scrolls: asks for the next page near its end. */
export function readOn(pages: Pages): (element: HTMLElement) => void {
  return ({ scrollHeight, scrollTop, clientHeight }) => {
    if (scrollHeight - scrollTop - clientHeight > NEAR_PX) return;
    if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage();
  };
}

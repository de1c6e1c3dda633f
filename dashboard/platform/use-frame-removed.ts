// The first paint of a page, by the server (server/platform/dashboard/page-frames.ts): the page replaces it.
import { useLayoutEffect } from 'react'

/** Removes the frame before the page is painted. */
export function useFrameRemoved(isPageShown: boolean): void {
  useLayoutEffect(() => {
    if (isPageShown) document.getElementById('frame')?.remove()
  }, [isPageShown])
}

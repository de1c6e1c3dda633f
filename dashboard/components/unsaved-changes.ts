// Forms with changes that are not saved. Nothing leaves the page without asking while there are any.
import { useEffect } from 'react'

const unsaved = new Set<symbol>()

export const hasUnsavedChanges = (): boolean => unsaved.size > 0

/** For a form, while it is shown. */
export function useUnsavedChanges(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    const form = Symbol('form')
    unsaved.add(form)
    addEventListener('beforeunload', ask)
    return () => {
      unsaved.delete(form)
      if (unsaved.size === 0) removeEventListener('beforeunload', ask)
    }
  }, [isUnsaved])
}

/** The browser asks in its own words. */
const ask = (event: BeforeUnloadEvent): void => event.preventDefault()

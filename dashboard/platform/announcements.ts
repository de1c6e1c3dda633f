// Short notices: what was done and how to undo it, or what failed. They are shown by components/actions.tsx.
import { explain } from './api.ts'
import { createShared } from './shared-value.ts'

interface Announcement {
  id: number
  text: string
  isFailure?: boolean
  /** Offered while the notice is shown. */
  undo?: (() => Promise<unknown>) | undefined
}

const shownMs = 6000
/** How long Undo is offered. */
export const undoMs = 2 * shownMs
const maxShown = 3

const shown = createShared<readonly Announcement[]>([])
export const useAnnouncements = shown.useValue
let lastId = 0

export function announce(text: string, more: Omit<Announcement, 'id' | 'text'> = {}): void {
  const id = ++lastId
  shown.set([...shown.get().slice(1 - maxShown), { text, ...more, id }])
  // A failure or an offer to undo stays twice as long.
  setTimeout(() => dismiss(id), more.undo || more.isFailure ? undoMs : shownMs)
}

export const dismiss = (id: number): void =>
  shown.set(shown.get().filter((announcement) => announcement.id !== id))

/** Awaits a change, then announces that it is done, or why it failed. */
export function attempt<Result>(
  change: Promise<Result>,
  /** What to announce; false for nothing. */
  done?: string | ((result: Result) => string | false),
  undo?: () => Promise<unknown>,
): void {
  change.then(
    (result) => {
      const text = typeof done === 'function' ? done(result) : done
      if (text) announce(text, { undo })
    },
    (error) => announce(explain(error), { isFailure: true }),
  )
}

// Creates the ready responses of GETs, by path, for the hot path and for the routes of the application.

import type { Awaitable } from '#kit/database/database.ts'
import type { Scope } from '../keys/scopes.ts'
import type { ReadyPage } from './page-cache.ts'

interface PageMaker {
  scope: Scope
  /** The answer to a request target: at once, if the database gives its rows so. Throws what it is refused for. */
  make(target: string): Awaitable<ReadyPage>
}

export type PageMakers = ReturnType<typeof createPageMakers>

export function createPageMakers(prefix: string) {
  const lists = new Map<string, PageMaker>()
  const records = new Map<string, PageMaker>()
  return {
    /** `path` is an operation's: `/pets`, or `/pets/{petId}` with its one parameter last. */
    add(path: string, maker: PageMaker) {
      const [folder = '', parameter] = path.split('/{')
      const makers = parameter === undefined ? lists : records
      makers.set(prefix + folder, maker)
    },
    /** The maker for a request target's path, prefix included. Records have no parameters. */
    find(target: string) {
      const path = pathOf(target)
      const record = (): PageMaker | undefined => records.get(path.slice(0, path.lastIndexOf('/')))
      return lists.get(path) ?? (path === target ? record() : undefined)
    },
  }
}

/** What stands before the query. */
function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end < 0 ? target : target.slice(0, end)
}

/** What stands behind the first question mark: a value may have others. */
export function queryOf(target: string): string {
  const start = target.indexOf('?')
  return start < 0 ? '' : target.slice(start + 1)
}

/** What stands behind the last slash of the path. */
export function lastSegmentOf(target: string): string {
  const path = pathOf(target)
  return path.slice(path.lastIndexOf('/') + 1)
}

// The filters of a list, stored in the address: a link shows the same list, and the back button undoes a choice.
import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

export interface Filters {
  /** Empty for a filter that is not set. */
  get(name: string): string
  /** Removes the cursor, which belongs to the old filters. */
  set(changes: Record<string, string>): void
  /** Query parameters for the API: the filters that are set, the cursor, and `more`. */
  query<Query extends object>(more?: Query): Query
  isAny: boolean
  /** Shows the first page of the whole list. */
  clear(): void
}

export function useFilters(names: readonly string[]): Filters {
  const [search, setSearch] = useSearchParams()
  const set = useCallback(
    (changes: Record<string, string>) =>
      setSearch((before) => {
        const after = new URLSearchParams(before)
        if (!('cursor' in changes)) after.delete('cursor')
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') after.delete(name)
          else after.set(name, value)
        }
        return after
      }),
    [setSearch],
  )
  const get = (name: string): string => search.get(name) ?? ''
  return {
    get,
    set,
    query<Query extends object>(more?: Query) {
      const chosen = [...names, 'cursor'].filter((name) => get(name) !== '')
      const values = Object.fromEntries(chosen.map((name) => [name, get(name)]))
      // The server validates the values of the address.
      return { ...more, ...values } as Query
    },
    isAny: names.some((name) => get(name) !== ''),
    clear: () => set(Object.fromEntries(['cursor', ...names].map((name) => [name, '']))),
  }
}

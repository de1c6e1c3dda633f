// The filters of a list, stored in the address: a link shows the same list, and the back button undoes a choice.
import { useCallback } from 'react'
import { type NavigateOptions, useSearchParams } from 'react-router'

export type Filters = ReturnType<typeof useFilters>

export function useFilters(names: readonly string[]) {
  const [search, setSearch] = useSearchParams()
  /** Removes the cursor, which belongs to the old filters. */
  const set = useCallback(
    (changes: Record<string, string>, options: NavigateOptions = {}) =>
      setSearch(() => {
        // Of the address itself: what was rendered last may be older.
        const after = new URLSearchParams(window.location.search)
        if (!('cursor' in changes)) after.delete('cursor')
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') after.delete(name)
          else after.set(name, value)
        }
        return after
      }, options),
    [setSearch],
  )
  /** Empty for a filter that is not set. */
  const get = (name: string): string => search.get(name) ?? ''
  return {
    get,
    set,
    /** Query parameters for the API: the filters that are set, the cursor, and `more`. */
    query<Query extends object>(more?: Query): Query {
      const chosen = [...names, 'cursor'].filter((name) => get(name) !== '')
      const values = Object.fromEntries(chosen.map((name) => [name, get(name)]))
      // The server validates the values of the address.
      return { ...more, ...values } as Query
    },
    isAny: names.some((name) => get(name) !== ''),
    /** Shows the first page of the whole list. */
    clear: () => set(Object.fromEntries(['cursor', ...names].map((name) => [name, '']))),
  }
}

// What narrows a list stands in the address: a link shows the same, and the back button undoes a choice.
import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

export interface Filters {
  /** Empty for what is not set. */
  get(name: string): string
  /** Of another filter the page before is no page: the cursor goes. */
  set(changes: Record<string, string>): void
  /** As the API takes them, without what is not set: `?status=sold&limit=20`, or empty. */
  query(more?: Record<string, string>): string
  isAny: boolean
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
    query(more = {}) {
      const wanted = new URLSearchParams(more)
      for (const name of [...names, 'cursor']) if (get(name) !== '') wanted.set(name, get(name))
      const text = wanted.toString()
      return text === '' ? '' : `?${text}`
    },
    isAny: names.some((name) => get(name) !== ''),
  }
}

// Which methods a path has: for OPTIONS, and for the Allow of a 405.

export function createMethodTable() {
  const known = new Map<string, { form: RegExp; methods: Set<string> }>()
  return {
    add(pattern: string, methods: string | string[]) {
      let entry = known.get(pattern)
      if (!entry) {
        const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')
        entry = { form: new RegExp(`^${escaped}$`), methods: new Set() }
        known.set(pattern, entry)
      }
      for (const method of [methods].flat()) entry.methods.add(method)
    },
    /** The methods of a request target's path, as Allow lists them; undefined where there is no such path. */
    at(url: string) {
      // Decoded as the router does; the caller has checked that it can be decoded.
      const path = decodeURI(url.split('?', 1)[0] as string)
      // A path may have several patterns: /pets/import is also a /pets/:petId.
      const found = [...known.values()].filter(({ form }) => form.test(path))
      if (found.length === 0) return undefined
      const all = new Set(['OPTIONS', ...found.flatMap(({ methods }) => [...methods])])
      return [...all].sort().join(', ')
    },
  }
}

// Which methods a path has: for OPTIONS, and for the Allow of a 405. A path that several patterns match belongs to the most
// concrete one: /pets/import is not a /pets/:petId (OpenAPI 3.1, section 4.8.8.1).

interface Entry {
  pattern: string
  form: RegExp
  methods: Set<string>
  /** Names and values in turn: the bodies that its methods take. */
  accepted: string[]
}

const acceptHeaders: Record<string, string> = { POST: 'Accept-Post', PATCH: 'Accept-Patch' }

/** The header that names the media types of a method's body (RFC 5789, section 3.1; RFC 9110, section 12.5.1). */
export function acceptHeaderOf(method: string, mediaTypes: readonly string[]): string[] {
  return [acceptHeaders[method] ?? 'Accept', mediaTypes.join(', ')]
}

export function createMethodTable() {
  // Descending: a parameter's colon is less than any letter, so what is more concrete comes first.
  let entries: Entry[] = []
  return {
    add(pattern: string, methods: readonly string[], mediaTypes: readonly string[] = []) {
      let entry = entries.find((each) => each.pattern === pattern)
      if (!entry) {
        const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')
        entry = {
          pattern,
          form: new RegExp(`^${escaped}$`),
          methods: new Set(['OPTIONS']),
          accepted: [],
        }
        entries = [...entries, entry].sort((a, b) => (a.pattern < b.pattern ? 1 : -1))
      }
      for (const method of methods) entry.methods.add(method)
      if (mediaTypes.length > 0)
        entry.accepted.push(...acceptHeaderOf(methods[0] as string, mediaTypes))
    },
    /** The methods of a request target's path, as Allow lists them; undefined where there is no such path. */
    at(url: string): { allowed: string; accepted: string[] } | undefined {
      // Decoded as the router does; the caller has checked that it can be decoded.
      const path = decodeURI(url.split('?', 1)[0] as string)
      const entry = entries.find(({ form }) => form.test(path))
      return entry && { allowed: [...entry.methods].sort().join(', '), accepted: entry.accepted }
    },
    /** Methods and patterns that a router would otherwise answer by a less concrete pattern. */
    *shadowed(): Generator<[method: string, pattern: string]> {
      for (const { methods, pattern } of entries) {
        const less = entries.filter(
          (other) => other.pattern !== pattern && other.form.test(pattern),
        )
        for (const method of new Set(less.flatMap((other) => [...other.methods]))) {
          if (!methods.has(method)) yield [method, pattern]
        }
      }
    },
  }
}

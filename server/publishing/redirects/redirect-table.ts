// The rules of `_redirects` as they are applied: those without placeholders by path, the others in their order. The
// first rule of the file that matches applies.
import type { Awaitable } from '#kit/database/database.ts'
import { readTarget } from '#renderer/site-files/requested-path.ts'
import { isDynamic, type RedirectRule, segmentsOf } from './read-redirects.ts'

export interface Redirect {
  rule: RedirectRule
  /** Encoded, without what would follow from the query of a request. */
  location: string
}

export type RedirectTable = ReturnType<typeof createRedirectTable>

/** Browsers follow twenty. */
const maxFollowed = 10

export function createRedirectTable(rules: readonly RedirectRule[]) {
  const fixed = new Map<string, RedirectRule>()
  for (const rule of rules) {
    const path = rule.from.join('/')
    if (!isDynamic(rule) && !fixed.has(path)) fixed.set(path, rule)
  }
  const dynamic = rules.filter(isDynamic)
  return {
    /** `path` as returned by readTarget. */
    find(path: string): Redirect | undefined {
      const segments = segmentsOf(path)
      const exact = fixed.get(segments.join('/'))
      for (const rule of dynamic) {
        if (exact && exact.line < rule.line) break
        const values = match(rule.from, segments)
        if (values) return { rule, location: fill(rule.to, values) }
      }
      return exact && { rule: exact, location: exact.to }
    },
  }
}

/** Of the placeholders by name, with the colon. */
function match(from: readonly string[], segments: readonly string[]) {
  const hasSplat = from.at(-1) === '*'
  const ends = hasSplat ? from.length - 1 : from.length
  if (hasSplat ? segments.length < ends : segments.length !== ends) return undefined
  const values = new Map<string, string>()
  for (let i = 0; i < ends; i++) {
    const [asked, own] = [segments[i] as string, from[i] as string]
    if (own.startsWith(':')) values.set(own, encodeURIComponent(asked))
    else if (own !== asked) return undefined
  }
  if (hasSplat) values.set(':splat', segments.slice(ends).map(encodeURIComponent).join('/'))
  return values
}

function fill(to: string, values: ReadonlyMap<string, string>): string {
  const filled = to.replace(/:[a-z]\w*/gi, (name) => values.get(name) ?? name)
  // An empty splat must not turn a path into the name of a host.
  return to.startsWith('/') ? filled.replace(/^\/+/, '/') : filled
}

/** The path of the site to which a redirect leads; undefined if it leaves the site. */
export function pathWithin({ location }: Pick<Redirect, 'location'>): string | undefined {
  if (!location.startsWith('/')) return undefined
  const target = readTarget(location)
  return typeof target === 'string' ? undefined : target.path
}

/** Whether the browser would be redirected again and again. `isThere`: whether a path shows a file of the site. */
export async function leadsInCircle(
  table: RedirectTable,
  first: Redirect,
  isThere: (path: string) => Awaitable<boolean>,
): Promise<boolean> {
  let redirect = first
  for (let i = 0; i < maxFollowed; i++) {
    const path = redirect.rule.status === 200 ? undefined : pathWithin(redirect)
    const next = path === undefined ? undefined : table.find(path)
    if (path === undefined || !next) return false
    if (!next.rule.isForced && (await isThere(path))) return false
    redirect = next
  }
  return true
}

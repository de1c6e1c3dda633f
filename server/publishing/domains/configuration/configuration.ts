// What visitors get at each domain of a project, as one document: which one is the primary, and which ones
// redirect to another. All others serve the same site.
import type { Problem } from '../../../platform/errors.ts'
import type { FoundDomain, RedirectStatus } from '../database/domain-row.ts'

export interface Configuration {
  primary: string | null
  redirects: { from: string; to: string; status: RedirectStatus }[]
}

type Configured = Pick<FoundDomain, 'host' | 'role' | 'redirect'>

/** As the domains have it; redirects by host. */
export function configurationOf(domains: readonly Configured[]): Configuration {
  return {
    primary: domains.find(({ role }) => role === 'primary')?.host ?? null,
    redirects: domains.flatMap(({ host, redirect }) =>
      redirect ? [{ from: host, ...redirect }] : [],
    ),
  }
}

/**
 * What is wrong with a configuration for a project that has these hosts; [] when it may be saved. A redirect
 * ends at a host that serves the site: there is no second hop, so there is no circle either.
 */
export function problemsOf(
  { primary, redirects }: Configuration,
  hosts: readonly string[],
): Problem[] {
  const problems: Problem[] = []
  const say = (path: string, message: string) =>
    problems.push({ path, message: `${path} ${message}` })
  const checkKnown = (path: string, host: string): boolean => {
    if (hosts.includes(host)) return true
    const named = hosts.length > 0 ? hosts.slice(0, 10).join(', ') : 'none yet'
    say(path, `is ${host}, which is no domain of this project. It has: ${named}.`)
    return false
  }
  const onward = new Map(redirects.map(({ from, to }) => [from, to]))
  const firstAt = new Map<string, string>()

  if (primary !== null) checkKnown('primary', primary)
  for (const [i, { from, to }] of redirects.entries()) {
    const at = `redirects[${i}]`
    const earlier = firstAt.get(from)
    if (earlier !== undefined) {
      say(`${at}.from`, `is ${from}, which ${earlier} redirects already. Keep one of them.`)
    } else if (checkKnown(`${at}.from`, from) && from === primary) {
      say(`${at}.from`, `is ${from}, the primary: it serves the site and cannot redirect.`)
    }
    firstAt.set(from, earlier ?? at)
    if (!checkKnown(`${at}.to`, to)) continue
    const way = wayOf(from, onward)
    const after = onward.get(to)
    if (way !== undefined) say(`${at}.to`, `is in a loop: ${way.join(' → ')}.`)
    else if (after !== undefined) {
      say(`${at}.to`, `is ${to}, which redirects to ${after}. Redirect to ${after} at once.`)
    }
  }
  return problems
}

/** The circle that a host is part of; undefined when it is part of none. */
function wayOf(start: string, onward: ReadonlyMap<string, string>): string[] | undefined {
  const way = [start]
  let at = onward.get(start)
  while (at !== undefined && at !== start && !way.includes(at)) {
    way.push(at)
    at = onward.get(at)
  }
  return at === start ? [...way, start] : undefined
}

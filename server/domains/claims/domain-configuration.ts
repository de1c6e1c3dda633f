// What visitors get at the domains of a project, and what is wrong with it. Pure: the dashboard checks with it what is typed.
import type { Problem } from '#kit/errors.ts'
import type { RedirectStatus } from '../database/domain-row.ts'

export interface Configuration {
  primary: string | null
  redirects: { from: string; to: string; status: RedirectStatus }[]
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
    say(path, `is ${host}, which is not a domain of this project. It has: ${named}.`)
    return false
  }
  const targets = new Map(redirects.map(({ from, to }) => [from, to]))
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
    const way = loopOf(from, targets)
    const after = targets.get(to)
    if (way !== undefined) say(`${at}.to`, `is in a loop: ${way.join(' → ')}.`)
    else if (after !== undefined) {
      say(`${at}.to`, `is ${to}, which redirects to ${after}. Redirect to ${after} at once.`)
    }
  }
  return problems
}

/** The circle that a host is part of; undefined when it is part of none. */
function loopOf(start: string, targets: ReadonlyMap<string, string>): string[] | undefined {
  const way = [start]
  let at = targets.get(start)
  while (at !== undefined && at !== start && !way.includes(at)) {
    way.push(at)
    at = targets.get(at)
  }
  return at === start ? [...way, start] : undefined
}

// Counts what visitors do in memory, by project, UTC day and name: nothing about who they are, and of the site that they
// came from only the host that Referer names. A page that is cached keeps its tally, so that counting it is an addition.
// The number of names is bounded; what is over it is counted without its name.

import type { Clock } from '#kit/clock.ts'
import { hostName, type RequestHead } from '#kit/http/request/request-head.ts'

/** Browsers say that they are Mozilla; programs that render pages do, too, but add what they are. */
const browser = /^(?:Mozilla|Opera)\//
const robot =
  /bot|crawl|spider|slurp|headless|lighthouse|preview|monitor|scan|archive|externalhit|embed|feed/i
/** Longer ones are not those of browsers. */
const maxLength = 400
const maxKept = 1000

const robots = new Map<string, boolean>()

/** Whether a User-Agent is that of a program instead of a person's browser. Remembered for the next request. */
export function isRobot(userAgent: string | undefined): boolean {
  if (userAgent === undefined || userAgent.length > maxLength) return true
  const known = robots.get(userAgent)
  if (known !== undefined) return known
  if (robots.size >= maxKept) robots.clear()
  const isRobot = !browser.test(userAgent) || robot.test(userAgent)
  robots.set(userAgent, isRobot)
  return isRobot
}

/** A source is the site that a view came from; direct, a view without one. */
export type VisitKind = 'view' | 'source' | 'direct' | CountedKind
/** What is counted by a name that comes with the request. The last two answer “Was this page helpful?”. */
type CountedKind = 'not_found' | 'search' | 'helpful' | 'not_helpful'

/** The count of one name, while its day lasts. */
export interface VisitTally {
  readonly project: string
  readonly kind: VisitKind
  /** Empty for all names over the limit, and for `direct`. */
  readonly name: string
  /** The start of the UTC day, in milliseconds since the epoch. */
  readonly day: number
  count: number
}

export type VisitCounter = ReturnType<typeof createVisitCounter>

export const dayMs = 86_400_000
/** Of a project in a day, by process. */
const maxNames: Record<VisitKind, number> = {
  view: 2000,
  not_found: 200,
  search: 200,
  source: 200,
  direct: 1,
  helpful: 500,
  not_helpful: 500,
}
/** Of all projects in a day, by process. */
const maxTallies = 50_000
/** Of each kind, for a project, also when others have used up all. */
const ownNames = 20
const maxNameLength = 200

export function createVisitCounter(clock: Clock) {
  let day = dayOf(clock())
  let tallies = new Map<string, VisitTally>()
  let names = new Map<string, number>()
  /** Of earlier days, with counts. */
  let ended: VisitTally[] = []

  function today(): number {
    const now = clock()
    // A clock that is set back does not begin a day again.
    if (now < day + dayMs) return day
    ended = take()
    tallies = new Map()
    names = new Map()
    day = dayOf(now)
    return day
  }

  function tallyOf(project: string, kind: VisitKind, name: string): VisitTally {
    const key = `${project} ${kind} ${name}`
    const open = tallies.get(key)
    if (open) return open
    const group = `${project} ${kind}`
    const inGroup = names.get(group) ?? 0
    const isOver = inGroup >= maxNames[kind] || (inGroup >= ownNames && tallies.size >= maxTallies)
    // At most `ownNames` of each kind and one without a name for each project, beyond the limits.
    if (isOver && name !== '') return tallyOf(project, kind, '')
    const tally: VisitTally = { project, kind, name, day, count: 0 }
    tallies.set(key, tally)
    names.set(group, inGroup + 1)
    return tally
  }

  function take(): VisitTally[] {
    return [...ended, ...[...tallies.values()].filter(({ count }) => count > 0)]
  }

  return {
    /** A tally of the page, to keep with it. `name` is called when there is none of today. */
    viewsOf(tally: VisitTally | undefined, project: string, name: () => string): VisitTally {
      const now = today()
      return tally?.day === now ? tally : tallyOf(project, 'view', cut(name()))
    },
    /** A tally of what `readSource` has read, to keep for the next view: most come from where the last one came from. */
    sourceOf(tally: VisitTally | undefined, project: string, source: string): VisitTally {
      const kind = source === '' ? 'direct' : 'source'
      const now = today()
      return tally?.day === now && tally.name === source && tally.kind === kind
        ? tally
        : tallyOf(project, kind, source)
    },
    count(project: string, kind: CountedKind, name: string): void {
      today()
      tallyOf(project, kind, cut(name)).count++
    },
    /** Tallies with counts. The caller subtracts what it has written. */
    take,
    /** After `take`: forgets those of earlier days that were written. */
    forgetWritten(): void {
      ended = ended.filter(({ count }) => count > 0)
    },
  }
}

/** Of a page. A response that says that the browser has it already is a view, too. */
export const isView = (head: RequestHead, method: string | undefined, status: number): boolean =>
  (status === 200 || status === 304) && method === 'GET' && isVisit(head)

/** Whether a person sees the response: no robot, and nothing that a browser loads in advance. */
export function isVisit({ isPrefetch, userAgent }: RequestHead): boolean {
  return !isPrefetch && !isRobot(userAgent)
}

export const dayOf = (time: number): number => Math.floor(time / dayMs) * dayMs

/** Without characters that a table cannot show, or PostgreSQL store. */
function cut(name: string): string {
  const shown = name.replaceAll(/\p{Cc}/gu, ' ').toWellFormed()
  return shown.length <= maxNameLength
    ? shown
    : `${shown.slice(0, maxNameLength - 1).toWellFormed()}…`
}

/** Labels of letters, digits and hyphens. The last one begins with a letter, which those of IP addresses do not. */
const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * A domain name without `www.` and port; empty if the request names no source. Undefined within the site, and for
 * what is no address of a site at a domain name.
 */
export function readSource({
  host,
  isSameOrigin,
  referer = '',
}: Pick<RequestHead, 'host' | 'isSameOrigin' | 'referer'>): string | undefined {
  // Pages may ask browsers not to send Referer, also within their site.
  if (referer === '') return isSameOrigin ? undefined : ''
  const start = referer.startsWith('https://') ? 8 : referer.startsWith('http://') ? 7 : undefined
  if (start === undefined) return undefined
  const end = referer.indexOf('/', start)
  const source = hostName(end < 0 ? referer.slice(start) : referer.slice(start, end))
  if (source === undefined || source === host || !domainForm.test(source)) return undefined
  return source.startsWith('www.') && source.includes('.', 4) ? source.slice(4) : source
}

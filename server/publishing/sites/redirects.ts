// Reads and applies `_redirects`, the file in which Netlify and Cloudflare Pages take redirects, one in each line:
//   /old  /new  301      /news/*  /blog/:splat      /u/:name  https://example.com/:name  302
// A rule that cannot be followed is left out and reported with its line; the others apply: those without placeholders by
// path, the others in their order. The first rule of the file that matches applies.
import type { Awaitable } from '#kit/database/database.ts'
import { readTarget } from '#renderer/site-files/requested-path.ts'
import { type SourceProblem, sourceProblem } from '#renderer/site-files/site-file.ts'
import { cut } from '#renderer/sources/plain-text.ts'

export const redirectsFile = '_redirects'
/** A larger file is ignored. */
export const maxRedirectsBytes = 256 * 1024
/** Without and with `*` or placeholders. The limits of Cloudflare Pages. */
const maxRules = { fixed: 2000, dynamic: 100 } as const
const maxLineLength = 1000
const maxTextLength = 200

const statuses = [301, 302, 303, 307, 308, 200] as const
type RuleStatus = (typeof statuses)[number]

export interface RedirectRule {
  /** Decoded segments; `:name` matches any one segment, and a last `*` all further ones. */
  from: string[]
  /** A path with one slash at its start, or an http or https address. May contain `:name` and `:splat`. */
  to: string
  /** 200 shows another file of the site at the requested address. */
  status: RuleStatus
  /** Applies even if there is a file. */
  isForced: boolean
  /** Counted from 1. */
  line: number
}

interface ReadRedirects {
  /** The first one that matches applies. */
  rules: RedirectRule[]
  problems: SourceProblem[]
}

const placeholder = /:([a-z]\w*)/gi
const isPlaceholder = (segment: string): boolean => /^:[a-z]\w*$/i.test(segment)
export const isDynamic = ({ from }: Pick<RedirectRule, 'from'>): boolean =>
  from.at(-1) === '*' || from.some(isPlaceholder)

export function readRedirects(bytes: Uint8Array): ReadRedirects {
  const rules: RedirectRule[] = []
  const problems: SourceProblem[] = []
  if (bytes.length > maxRedirectsBytes) {
    const message = `It is larger than ${maxRedirectsBytes / 1024} KB and ignored. Use * and placeholders to need fewer rules.`
    return { rules, problems: [redirectProblem(message, null, null)] }
  }
  const counts = { fixed: 0, dynamic: 0 }
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/)
  for (const [i, text] of lines.entries()) {
    const read = readLine(text, i + 1)
    if (read === undefined) continue
    const rule = typeof read === 'string' ? read : beyondLimit(counts, read)
    if (rule !== undefined) problems.push(redirectProblem(rule, i + 1, text))
    else if (typeof read !== 'string') rules.push(read)
  }
  return { rules, problems }
}

/** `message` says what is wrong and how to fix it. */
export function redirectProblem(
  message: string,
  line: number | null,
  text: string | null,
): SourceProblem {
  const shown = text?.trim().slice(0, maxTextLength) ?? null
  return sourceProblem({ kind: 'bad_redirect', message, file: redirectsFile, line, text: shown })
}

function beyondLimit(counts: Record<keyof typeof maxRules, number>, rule: RedirectRule) {
  const kind = isDynamic(rule) ? 'dynamic' : 'fixed'
  counts[kind]++
  if (counts[kind] <= maxRules[kind]) return undefined
  return kind === 'dynamic'
    ? `There are more than ${maxRules.dynamic} rules with * or placeholders. Remove some: this one is ignored.`
    : `There are more than ${maxRules.fixed} rules. Replace some by one with * or placeholders: this one is ignored.`
}

/** The rule, what is wrong with it, or undefined for a line without a rule. */
function readLine(text: string, line: number): RedirectRule | string | undefined {
  const words = text.trim().split(/\s+/)
  // A comment is a line of its own, or follows a rule.
  const comment = words.findIndex((word) => word.startsWith('#'))
  const [from = '', to, status = '301', ...others] = comment < 0 ? words : words.slice(0, comment)
  if (from === '') return undefined
  if (text.length > maxLineLength)
    return `The line is longer than ${maxLineLength} characters. Shorten it.`
  if (to === undefined)
    return 'The target is missing. Write: from to status, such as /old /new 301.'
  const condition = [to, status, ...others].find((word) => /^[\w-]+!?=/.test(word))
  if (condition !== undefined)
    return `Query parameters and conditions such as ${cut(condition, 60)} are not supported. Remove it.`
  if (others.length > 0)
    return 'There is more than from, to and status in the line. Remove the rest.'
  const source = readSource(from)
  if (typeof source === 'string') return source
  const isForced = status.endsWith('!')
  const code = statuses.find((each) => `${each}` === status.replace(/!$/, ''))
  if (code === undefined) return faultOfStatus(status)
  const fault = faultOfTarget(to, source, code)
  return fault ?? { from: source, to: encoded(to), status: code, isForced, line }
}

/** The segments of a source, or what is wrong with it. */
function readSource(from: string): string[] | string {
  if (!from.startsWith('/'))
    return `The source ${cut(from, 60)} must be a path that starts with /. For another host, redirect its domain.`
  if (/[?#]/.test(from)) return 'The source must be a path without ? and #. Remove what follows it.'
  const read = readTarget(encoded(from))
  if (typeof read === 'string') return `No page can have the address ${cut(from, 60)}. Correct it.`
  const segments = segmentsOf(read.path)
  if (segments.slice(0, -1).some((segment) => segment.includes('*')) || /[^/]\*|\*./.test(from))
    return 'The * must be the last segment of the source, as in /news/*.'
  const names = segments.filter(isPlaceholder)
  if (new Set(names).size < names.length)
    return 'Two placeholders of the source have the same name. Rename one of them.'
  return segments
}

function faultOfStatus(status: string): string {
  const listed = statuses.join(', ')
  if (/^404!?$/.test(status))
    return 'Status 404 is not supported. The nearest 404.html is shown where nothing is found.'
  return `The status ${cut(status, 60)} is not supported. Use one of ${listed}.`
}

function faultOfTarget(to: string, from: string[], status: RuleStatus): string | undefined {
  const [origin = '', host] = /^https?:\/\/([^/?#]*)/i.exec(to) ?? []
  if (host === undefined && !/^\/(?![/\\])/.test(to))
    return `The target ${cut(to, 60)} must be a path that starts with one /, or an http or https address.`
  if (host !== undefined) {
    if (status === 200)
      return 'Another site cannot be shown at an address of this one. Use a status such as 302.'
    // A visitor must not choose the host to which the site redirects.
    if (!URL.canParse(to) || !/^[\p{L}\p{N}.-]+(?::\d+)?$/u.test(host))
      return 'The host of the target must be a plain name, without placeholders. Correct it.'
  }
  const placeholders = new Set(from.filter(isPlaceholder))
  if (from.at(-1) === '*') placeholders.add(':splat')
  const unknown = to
    .slice(origin.length)
    .match(placeholder)
    ?.find((name) => !placeholders.has(name))
  return unknown === undefined
    ? undefined
    : `The source has nothing for ${cut(unknown, 60)} of the target. Add it, or write : as %3A.`
}

/** The segments of a decoded path; a slash at the end has no meaning. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** With everything but visible ASCII percent-encoded, and what URLs of browsers read as a slash. */
function encoded(address: string): string {
  return address.toWellFormed().replace(/[^\x21-\x7e]+|\\/g, encodeURIComponent)
}

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

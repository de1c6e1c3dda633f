// Runs domains add, prepare, list, verify, remove and config over the management API (domains-client.ts), and shows the
// records that the owner of a domain sets.

import { setTimeout as delay } from 'node:timers/promises'
import type { Evidence } from '#doctor/evidence.ts'
import { formatDiagnosis } from '#doctor/rules/format-diagnosis.ts'
import { judge } from '#doctor/rules/judge.ts'
import type { Domain, RemovedDomain } from '#domains/api/schema.ts'
import type { Configuration } from '#domains/claims/domain-configuration.ts'
import { CommandError, columns, type Input, print, readText } from '../command-line/command.ts'
import { createLiveLines } from '../command-line/progress.ts'
import { type Call, withDomains } from './domains-client.ts'
import {
  readTimeout,
  stepsAsLines,
  textOptions,
  type WaitGoal,
  waitForDomain,
  withoutTimes,
} from './follow-domain.ts'

/** Adds a domain and shows the record to create. */
export async function add(input: Input): Promise<number> {
  const { host, slug } = readNames(input)
  const { json } = input
  return await withDomains(input, async (call) => {
    const params = { slug }
    const isPrepared = input.options['before-switch'] !== undefined
    const body = { host, prepare: isPrepared }
    const domain = await call('POST /projects/{slug}/domains', { params, body })
    if (!(json && isWaiting(input))) {
      const text = isPrepared ? preparationText(domain) : recordText(domain)
      print(input, domain, `Added ${domain.host} to ${slug}.\n\n${text}`)
    }
    if (!json) {
      await printCheck(call, domain)
      process.stdout.write(await pairText(call, domain))
    }
    return await follow(input, call, domain, isPrepared ? 'ready_to_switch' : 'active')
  })
}

/** Lists the domains of a project. */
export async function list(input: Input): Promise<number> {
  const { slug } = readNames(input)
  return await withDomains(input, async (call) => {
    const list = await call('GET /projects/{slug}/domains', { params: { slug } })
    const rows = list.items.map(({ check, host, status }) => [
      host,
      status.title,
      check?.diagnostics[0]?.title ?? '',
    ])
    const table = columns([['HOST', 'STATUS', ''], ...rows]).trimEnd()
    const none = noDomains(slug)
    const missing = list.missing.map(({ message }) => message)
    print(input, list, rows.length > 0 ? table : [none, ...missing].join('\n'))
    return 0
  })
}

/** Checks a domain now. Exit status 0 when it is verified. */
export async function verify(input: Input): Promise<number> {
  const { host, slug } = readNames(input)
  const { json } = input
  return await withDomains(input, async (call) => {
    const params = { slug, host }
    const domain = await call('POST /projects/{slug}/domains/{host}/verify', { params })
    if (isWaiting(input)) {
      if (!json) process.stdout.write(`${domain.host}\n\n`)
      return await follow(input, call, domain)
    }
    if (json) print(input, domain, '')
    else {
      process.stdout.write(`${domain.host}: ${domain.status.title}\n\n`)
      await printCheck(call, domain)
    }
    return domain.ownership === 'proven' && domain.dns === 'ok' ? 0 : 1
  })
}

/** Removes a domain and shows the records to delete. */
export async function remove(input: Input): Promise<number> {
  const { host, slug } = readNames(input)
  return await withDomains(input, async (call) => {
    const params = { slug, host }
    const removed = await call('DELETE /projects/{slug}/domains/{host}', { params })
    const records = columns(
      removed.records.map(({ name, ttlSeconds, type, value }) => [
        name,
        String(ttlSeconds),
        type,
        value,
      ]),
    )
    const rest =
      removed.records.length > 0
        ? `\n\nDelete its DNS records as well, so that nobody else can use them:\n\n${records.trimEnd()}`
        : ''
    print(
      input,
      removed,
      `Removed ${removed.host} from ${slug}.${offlineText(removed)}${configurationLossText(removed)}${rest}`,
    )
    return 0
  })
}

/** Shows or sets the primary domain and the redirects of a project. */
export async function configure(input: Input): Promise<number> {
  const params = { slug: input.operands[0] ?? '' }
  const { file } = input.options
  const body = file === undefined ? undefined : readConfiguration(file)
  return await withDomains(input, async (call) => {
    const configuration = body
      ? await call('PUT /projects/{slug}/domain-configuration', { params, body })
      : await call('GET /projects/{slug}/domain-configuration', { params })
    const { items } = await call('GET /projects/{slug}/domains', { params })
    const hosts = items.map(({ host }) => host)
    print(input, configuration, configurationText(configuration, hosts, params.slug))
    return 0
  })
}

/**
 * With --wait, shows the steps until the end or, with --json, prints one line for each change. Resolves to exit status 0 when
 * the goal is reached.
 */
export async function follow(
  input: Input,
  call: Call,
  domain: Domain,
  goal: WaitGoal = 'active',
): Promise<number> {
  const timeoutMs = readTimeout(input)
  if (timeoutMs === undefined) return 0
  const { json } = input
  if (!json) process.stdout.write('\n')
  const lines = createLiveLines(process.stdout)
  const options = textOptions()
  let last = ''
  const { domain: checked, result } = await waitForDomain(call, domain, {
    goal,
    timeoutMs,
    now: () => performance.now(),
    wait: delay,
    onPoll(seen) {
      if (!json) return lines.show(stepsAsLines(seen, options, process.stdout.isTTY))
      const news = JSON.stringify(withoutTimes(seen))
      if (news !== last) process.stdout.write(`${JSON.stringify(seen)}\n`)
      last = news
    },
  })
  const { host, status } = checked
  if (result === 'timeout') {
    const what =
      typeof goal === 'object'
        ? `DNS does not have the records of ${host} yet`
        : `${host} is not ${goal === 'active' ? 'active' : 'ready'} yet`
    process.stderr.write(
      `animal-store: ${what}: ${status.title}. It continues automatically; check again with domains verify.\n`,
    )
  }
  if (!json && result === 'owner') {
    process.stdout.write(`\n${status.title}\n\n`)
    await printCheck(call, checked)
  }
  return result === 'active' ? 0 : 1
}

/** Throws a UsageError where `follow` would. */
export function readNames(input: Input): { host: string; slug: string } {
  readTimeout(input)
  return { host: input.operands[0] ?? '', slug: input.options.project ?? '' }
}

const isWaiting = ({ options }: Input): boolean => options.wait !== undefined

/** What the removal changed in the configuration of the project. */
function configurationLossText({ endedRedirects, wasPrimary }: RemovedDomain): string {
  const primary = wasPrimary
    ? '\nIt was the primary domain. The project has no primary domain now.'
    : ''
  const served = endedRedirects.map((host) => `\n${host} redirected to it and serves the site now.`)
  return primary + served.join('')
}

export function recordText({ verification, record }: Domain): string {
  const type = record.type === 'ALIAS' ? 'ALIAS or ANAME' : record.type
  const table = recordTable({ ...record, type }, ['TTL', String(record.ttlSeconds)])
  const verificationRecord = verification.isRequired
    ? `\nAnd this one, to prove that you own the domain. ${verification.reason ?? ''}\n\n${recordTable({ ...verification, type: 'TXT' })}`
    : ''
  const { requiredFrom } = verification
  const later =
    requiredFrom === null
      ? ''
      : `\nIt proves that you own the domain until ${requiredFrom}. Later a TXT record is required as well.\n`
  return `Create this DNS record:\n\n${table}\nAs a line of a zone file:\n\n  ${record.zoneLine}\n${verificationRecord}${later}\nIt usually works within minutes; DNS may take up to 48 hours.\n`
}

function recordTable(
  { name, type, value }: { name: string; type: string; value: string },
  ...more: string[][]
): string {
  return columns([['Type', type], ['Name', name], ['Value', value], ...more])
}

/** The findings of the last check, judged again from its evidence. */
async function printCheck(call: Call, domain: Domain): Promise<void> {
  const { check, host, preparation, project } = domain
  if (!check) return
  // It points elsewhere, as it should until the switch.
  if (preparation.state === 'requested' && check.diagnostics.length === 0) return
  const params = { slug: project, host }
  const bundle = await call('GET /projects/{slug}/domains/{host}/evidence', { params })
  process.stdout.write(formatDiagnosis(judge(bundle as unknown as Evidence), textOptions()))
}

function noDomains(slug: string): string {
  return `No domains yet. Add one with animal-store domains add NAME --project ${slug}`
}

function readConfiguration(file: string): Configuration {
  const text = readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    const name = file === '-' ? 'standard input' : file
    throw new CommandError(`${name} is not valid JSON: ${(error as Error).message}`)
  }
}

function configurationText(
  { primary, redirects }: Configuration,
  hosts: readonly string[],
  slug: string,
): string {
  if (hosts.length === 0) return noDomains(slug)
  const rows = hosts.map((host) => {
    const redirect = redirects.find(({ from }) => from === host)
    if (redirect) return [host, `redirects to ${redirect.to} (${redirect.status})`]
    return [host, host === primary ? 'serves the site (primary)' : 'serves the site']
  })
  return columns([['HOST', 'VISITORS'], ...rows]).trimEnd()
}

/** Offers a redirect between a host and its www twin; empty where both are configured already. */
async function pairText(call: Call, domain: Domain): Promise<string> {
  const { host, pair, project } = domain
  if (pair === null) return ''
  const params = { slug: project }
  const { items } = await call('GET /projects/{slug}/domains', { params })
  const twin = items.find((item) => item.host === pair)
  if (domain.role === 'redirect' || twin?.role === 'redirect') return ''
  const before = await call('GET /projects/{slug}/domain-configuration', { params })
  // The domain that was there first is the target.
  const [from, to] = twin ? [host, pair] : [pair, host]
  const line = `echo '${JSON.stringify(withRedirect(before, from, to))}' | animal-store domains config ${project} --file -`
  const add = twin ? '' : `  animal-store domains add ${pair} --project ${project}\n`
  const reason = twin ? '' : `Visitors may type ${pair}, too. `
  return `\n${reason}To redirect ${from} to ${to}:\n\n${add}  ${line}\n`
}

function withRedirect(
  { primary, redirects }: Configuration,
  from: string,
  to: string,
): Configuration {
  return {
    primary: primary === from ? to : (primary ?? to),
    redirects: [
      // Redirects to it go to the new target directly.
      ...redirects.map((one) => (one.to === from ? { ...one, to } : one)),
      { from, to, status: 301 },
    ],
  }
}

/** How the removal took effect, after a line break; empty where the domain was not served. */
function offlineText({ offline }: Pick<RemovedDomain, 'offline'>): string {
  if (!offline || offline.nodes.living === 0) return ''
  const { connectionsCut, http, nodes, seconds, tls } = offline
  const count = `${nodes.acknowledged} of ${nodes.living} ${nodes.living === 1 ? 'node' : 'nodes'}`
  const cut = connectionsCut === 1 ? '1 open connection' : `${connectionsCut} open connections`
  const tests = [
    ...(tls === null ? [] : [`HTTPS ${tlsWords[tls]}`]),
    ...(http === null ? [] : [`HTTP ${http}`]),
  ]
  const seen = tests.length > 0 ? ` Tested afterwards: ${tests.join(', ')}.` : ''
  return `\nOffline on ${count} in ${seconds.toFixed(2)} s, ${cut} closed.${seen}`
}

const tlsWords = {
  refused: 'refused',
  answered: 'still accepted',
  no_answer: 'no response',
} as const

/** Requests a certificate before the switch, or cancels that, and shows the records to set. */
export async function prepare(input: Input): Promise<number> {
  const { host, slug } = readNames(input)
  const isRequested = input.options.cancel === undefined
  const { json } = input
  return await withDomains(input, async (call) => {
    const params = { slug, host }
    const body = { prepare: isRequested }
    const domain = await call('PATCH /projects/{slug}/domains/{host}', { params, body })
    if (!isRequested) {
      print(input, domain, `No certificate is requested for ${domain.host} before the switch.`)
      return 0
    }
    if (!(json && isWaiting(input))) {
      const text = `${domain.host}: ${domain.status.title}\n\n${preparationText(domain)}`
      print(input, domain, text)
    }
    if (!json) await printCheck(call, domain)
    return await follow(input, call, domain, 'ready_to_switch')
  })
}

/** The TXT records to set now, and the record to change later. */
function preparationText(domain: Domain): string {
  const { host, preparation, record, records } = domain
  if (preparation.state !== 'requested') {
    return `${host} points here already. Its certificate is issued and renewed automatically.\n`
  }
  const required = records.filter(
    ({ purpose, state }) => purpose !== 'site' && state === 'required',
  )
  const tables = required.map(({ replaces, setBy, ...txt }) =>
    recordTable(
      txt,
      ...(setBy === null ? [] : [['Until', setBy]]),
      ...(replaces === null ? [] : [['Replaces', replaces.value]]),
    ),
  )
  const hasChallenge = records.some(({ purpose }) => purpose === 'challenge')
  const next = hasChallenge
    ? ''
    : '\nA second TXT record, for the certificate authority, is shown once the first one is found.\n'
  const now = required.length > 0 ? `Set now:\n\n${tables.join('\n')}${next}\n` : ''
  return `Your site stays where it is until you switch.\n\n${now}Change when the certificate is ready:\n\n${recordTable(record)}`
}

// domains add, list, verify and remove: over the management API of a server, or on this machine's database.

import type { Domain, RemovedDomain } from '../../publishing/domains/api/schema.ts'
import { formatDiagnosis } from '../../publishing/domains/doctor/format-diagnosis.ts'
import { judge } from '../../publishing/domains/doctor/judge.ts'
import type { Evidence } from '../../publishing/domains/evidence/evidence.ts'
import { badges } from '../../publishing/domains/state/badge.ts'
import { type Input, print } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import type { FixTool } from './domains-options.ts'
import { fixText, fixToolOf } from './fix-text.ts'
import { followDomain, waitMsOf } from './follow-domain.ts'
import { offlineText } from './offline-text.ts'
import { type Call, onDomains } from './on-domains.ts'
import { pairText } from './pair-text.ts'
import { textOptions } from './text-options.ts'

/** Adds a domain and says which record to create. */
export async function add(input: Input): Promise<number> {
  const { host, slug } = named(input)
  const timeoutMs = waitMsOf(input)
  const tool = fixToolOf(input.options.fix)
  const { json } = input
  return await onDomains(input, async (call) => {
    const params = { slug }
    const domain = await call('POST /projects/{slug}/domains', { params, body: { host } })
    const isWaiting = timeoutMs !== undefined
    if (!(json && isWaiting)) {
      print(input, domain, `${domain.host} is added to ${slug}.\n\n${recordText(domain)}`)
    }
    if (!json) {
      await printCheck(call, domain)
      if (tool) process.stdout.write(fixOf(domain, tool))
      process.stdout.write(await pairText(call, domain))
    }
    return isWaiting ? await waited(call, domain, { json, timeoutMs }) : 0
  })
}

/** Lists the domains of a project. */
export async function list(input: Input): Promise<number> {
  const { slug } = named(input)
  return await onDomains(input, async (call) => {
    const found = await call('GET /projects/{slug}/domains', { params: { slug } })
    const rows = found.items.map(({ badge, check, host }) => [
      host,
      badges[badge],
      check?.diagnostics[0]?.title ?? '',
    ])
    const table = columns([['HOST', 'STATUS', ''], ...rows]).trimEnd()
    const none = `No domains yet: animal-store domains add NAME --project ${slug}`
    const missing = found.missing.map(({ message }) => message)
    print(input, found, rows.length > 0 ? table : [none, ...missing].join('\n'))
    return 0
  })
}

/** Checks a domain now. Exit status 0 when it is verified. */
export async function verify(input: Input): Promise<number> {
  const { host, slug } = named(input)
  const timeoutMs = waitMsOf(input)
  const tool = fixToolOf(input.options.fix)
  const { json } = input
  return await onDomains(input, async (call) => {
    const params = { slug, host }
    const domain = await call('POST /projects/{slug}/domains/{host}/verify', { params })
    if (timeoutMs !== undefined) {
      if (!json) process.stdout.write(`${domain.host}\n\n`)
      return await waited(call, domain, { json, timeoutMs })
    }
    if (json) print(input, domain, '')
    else {
      process.stdout.write(`${domain.host}: ${badges[domain.badge]}\n\n`)
      await printCheck(call, domain)
      if (tool) process.stdout.write(fixOf(domain, tool))
    }
    return domain.ownership === 'proven' && domain.dns === 'ok' ? 0 : 1
  })
}

/** Removes a domain and says which records are left to delete. */
export async function remove(input: Input): Promise<number> {
  const { host, slug } = named(input)
  return await onDomains(input, async (call) => {
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
        ? `\n\nDelete its DNS records as well, so that nobody can make use of them:\n\n${records.trimEnd()}`
        : ''
    print(
      input,
      removed,
      `${removed.host} is removed from ${slug}.${offlineText(removed)}${leftText(removed)}${rest}`,
    )
    return 0
  })
}

/** Follows it to the end. Exit status 0 when it is active. */
async function waited(
  call: Call,
  domain: Domain,
  how: { json: boolean; timeoutMs: number },
): Promise<number> {
  if (!how.json) process.stdout.write('\n')
  const { domain: last, result } = await followDomain(call, domain, how)
  if (!how.json && result === 'owner') {
    process.stdout.write(`\n${badges[last.badge]}\n\n`)
    await printCheck(call, last)
  }
  return result === 'active' ? 0 : 1
}

function fixOf({ check, dns, record }: Domain, tool: FixTool): string {
  const found = { diagnostics: check?.diagnostics ?? [], provider: check?.provider ?? null }
  return fixText(found, tool, dns === 'ok' ? [] : record.forms)
}

function named({ operands, options }: Input): { host: string; slug: string } {
  return { host: operands[0] ?? '', slug: options.project ?? '' }
}

/** What the configuration of the project has lost by it. */
function leftText({ endedRedirects, wasPrimary }: RemovedDomain): string {
  const primary = wasPrimary ? '\nIt was the primary: the project has none now.' : ''
  const served = endedRedirects.map(
    (host) => `\n${host} redirected to it, and serves the site itself now.`,
  )
  return primary + served.join('')
}

function recordText({ verification, record }: Domain): string {
  const type = record.type === 'ALIAS' ? 'ALIAS or ANAME' : record.type
  const rows = [
    ['Type', type],
    ['Name', record.name],
    ['Value', record.value],
    ['TTL', String(record.ttlSeconds)],
  ]
  const asked = verification.isRequired
    ? `\nAnd this one, which proves that the domain is yours:\n\n${columns([
        ['Type', 'TXT'],
        ['Name', verification.name],
        ['Value', verification.value],
      ])}`
    : ''
  return `Create this DNS record:\n\n${columns(rows)}${asked}\nIt usually works within minutes; DNS may take up to 48 hours.\n`
}

/** The last check as the doctor words it: judged again from its evidence. */
async function printCheck(call: Call, { check, host, project }: Domain): Promise<void> {
  if (!check) return
  const params = { slug: project, host }
  const bundle = await call('GET /projects/{slug}/domains/{host}/evidence', { params })
  const evidence = bundle as unknown as Evidence
  process.stdout.write(formatDiagnosis(judge(evidence), evidence, textOptions()))
}

// Checks a Domain Connect template before it is sent to the public collection of templates. Where a rule is one of the
// linter that the collection runs (dc-template-linter), it has its code.
import { isIPv4, isIPv6 } from 'node:net'
import type { ConnectTemplate, TemplateRecord } from './connect-template.ts'

interface LintFinding {
  /** `error`: the collection or a provider refuses it. */
  level: 'error' | 'warning' | 'note'
  code: string
  message: string
}

const maxTtlSeconds = 0x7fff_ffff
const idForm = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/
const hostForm =
  /^(@|\*|(\*\.)?[a-z0-9_%]([a-z0-9_%-]*[a-z0-9_%])?(\.[a-z0-9_%]([a-z0-9_%-]*[a-z0-9_%])?)*\.?)$/i
/** Parameters of the request, which a variable must not be called. */
const parameters = ['domain', 'host', 'groupId', 'redirect_uri', 'state', 'key', 'sig', 'crit']
const types = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'SRV', 'TXT', 'SPFM']

/** In the order of the template; empty when nothing is wrong. */
export function lintTemplate(template: ConnectTemplate): LintFinding[] {
  const findings: LintFinding[] = []
  const add = (level: LintFinding['level'], code: string, message: string) =>
    findings.push({ level, code, message })
  const { hostRequired, records, syncPubKeyDomain, syncRedirectDomain } = template
  for (const field of ['providerId', 'serviceId'] as const) {
    if (!idForm.test(template[field]))
      add('error', 'DCTL1002', `${field} has characters other than a-z, 0-9, hyphen and dot.`)
  }
  for (const field of ['providerName', 'serviceName'] as const) {
    if (!/\S/.test(template[field] ?? '')) add('error', 'DCTL0008', `${field} is missing.`)
  }
  if (!Number.isInteger(template.version) || template.version < 1)
    add('note', 'DCTL1006', 'version is not a number from 1.')
  if (!syncPubKeyDomain)
    add('error', 'DCTL1029', 'syncPubKeyDomain is missing: anyone could create links to it.')
  if (syncRedirectDomain !== undefined && /\s/.test(syncRedirectDomain))
    add('warning', 'DCTL1026', 'syncRedirectDomain has white space.')
  if (records.length === 0) add('error', 'DCTL1030', 'The template has no records.')
  if (hostRequired === true && !records.some(needsHost))
    add('note', 'DCTL1037', 'hostRequired is of no use without a CNAME or NS record at @.')
  const groups = new Set(records.map(({ groupId }) => groupId))
  if (groups.size > 1 && groups.has(undefined))
    add('note', 'DCTL1032', 'Some records have a groupId and some do not.')
  if (groups.size === 1 && !groups.has(undefined) && records.length > 1)
    add('note', 'DCTL1031', 'All records have the same groupId.')
  records.forEach((record, i) => {
    for (const finding of lintRecord(record, template))
      findings.push({ ...finding, message: `Record ${i + 1}: ${finding.message}` })
  })
  return [...findings, ...lintTogether(records)]
}

const needsHost = ({ host = '@', type }: TemplateRecord): boolean =>
  (type === 'CNAME' || type === 'NS') && (host === '@' || host === '')

function lintRecord(record: TemplateRecord, { hostRequired }: ConnectTemplate): LintFinding[] {
  const findings: LintFinding[] = []
  const add = (level: LintFinding['level'], code: string, message: string) =>
    findings.push({ level, code, message })
  const { data, host = '@', pointsTo, ttl, type } = record
  if (!types.includes(type)) add('note', 'DCTL1016', `few providers support the type ${type}.`)
  if (!hostForm.test(host))
    add('error', 'DCTL1027', `host ${JSON.stringify(host)} is no host name.`)
  if (needsHost(record) && hostRequired !== true)
    add('error', 'DCTL1012', `a ${type} record at @ needs hostRequired.`)
  if (/%host%/.test(host)) add('note', 'DCTL1024', 'host is relative to the host: omit %host%.')
  if (/(^|\.)%[^%]+%$/.test(host) && /^%[^%]+%$/.test(host))
    add('error', 'DCTL1040', 'host is a variable alone: put fixed text before it.')
  if (/^%(?!fqdn%)[^%]+%$/.test(pointsTo ?? ''))
    add('error', 'DCTL1040', 'pointsTo is a variable alone: put fixed text beside it.')
  if (type !== 'TXT' && /(^|\.)_/.test(host) && type !== 'SRV')
    add('note', 'DCTL1025', 'host has an underscore.')
  const isNumber = typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= 0
  if (isNumber && ttl > maxTtlSeconds) add('error', 'DCTL1000', 'ttl is over the maximum.')
  if (ttl !== undefined && !isNumber && !/^%[^%]+%$/.test(String(ttl)))
    add('error', 'DCTL1015', 'ttl is neither a number of seconds nor a variable.')
  if (['A', 'AAAA', 'CNAME', 'MX', 'NS'].includes(type) && !pointsTo)
    add('error', 'DCTL0008', 'pointsTo is missing.')
  if (type === 'TXT' && !data) add('error', 'DCTL0008', 'data is missing.')
  if (type === 'TXT' && /^v=spf1\b/.test(data ?? ''))
    add('note', 'DCTL1014', 'use the type SPFM for an SPF record.')
  const isVariable = pointsTo?.includes('%') ?? false
  if (type === 'A' && pointsTo && !isVariable && !isIPv4(pointsTo))
    add('error', isIPv6(pointsTo) ? 'DCTL1035' : 'DCTL1034', 'pointsTo is no IPv4 address.')
  if (type === 'AAAA' && pointsTo && !isVariable && !isIPv6(pointsTo))
    add('error', isIPv4(pointsTo) ? 'DCTL1036' : 'DCTL1034', 'pointsTo is no IPv6 address.')
  for (const text of [host, pointsTo ?? '', data ?? '']) findings.push(...lintVariables(text))
  if (record.txtConflictMatchingMode === 'Prefix' && !record.txtConflictMatchingPrefix)
    add('error', 'DCTL0008', 'txtConflictMatchingPrefix is missing.')
  return findings
}

function lintVariables(text: string): LintFinding[] {
  const marks = text.split('%').length - 1
  if (marks % 2 === 1)
    return [{ level: 'error', code: 'DCTL1020', message: 'a variable does not end with %.' }]
  return [...text.matchAll(/%([^%]*)%/g)].flatMap(([, name = '']): LintFinding[] => {
    if (['host', 'domain', 'fqdn'].includes(name)) return []
    if (!/^[\w-]+$/.test(name))
      return [
        { level: 'warning', code: 'DCTL1019', message: `%${name}% is no name of a variable.` },
      ]
    if (!parameters.includes(name)) return []
    const message = `%${name}% has the name of a parameter of the request.`
    return [{ level: 'error', code: 'DCTL1009', message }]
  })
}

/** Records that cannot be beside each other, within the groups that are applied together. */
function lintTogether(records: TemplateRecord[]): LintFinding[] {
  const findings: LintFinding[] = []
  const seen = new Set<string>()
  for (const record of records) {
    const key = JSON.stringify(record)
    if (seen.has(key))
      findings.push({
        level: 'warning',
        code: 'DCTL1023',
        message: `${record.type} ${record.host ?? '@'} is there twice.`,
      })
    seen.add(key)
    if (record.type !== 'CNAME') continue
    const beside = records.find(
      (other) =>
        other !== record &&
        JSON.stringify(other) !== key &&
        (other.host ?? '@') === (record.host ?? '@') &&
        (other.groupId === record.groupId || other.groupId === undefined),
    )
    if (beside)
      findings.push({
        level: 'error',
        code: 'DCTL1011',
        message: `The CNAME record at ${record.host ?? '@'} cannot be beside the ${beside.type} record there.`,
      })
  }
  return findings
}

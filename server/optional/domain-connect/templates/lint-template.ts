// Checks a Domain Connect template before it is sent to the public collection of templates. Where a rule is one of the
// linter that the collection runs (dc-template-linter), it has its code.
import { isIPv4, isIPv6 } from 'node:net'
import type { ConnectTemplate, TemplateRecord } from './connect-template.ts'

/** For which the collection or a provider refuses the template. */
interface LintFinding {
  code: string
  message: string
}

const maxTtlSeconds = 0x7fff_ffff
const idForm = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/
const hostForm =
  /^(@|\*|(\*\.)?[a-z0-9_%]([a-z0-9_%-]*[a-z0-9_%])?(\.[a-z0-9_%]([a-z0-9_%-]*[a-z0-9_%])?)*\.?)$/i
/** Parameters of the request, which a variable must not be called. */
const parameters = ['domain', 'host', 'groupId', 'redirect_uri', 'state', 'key', 'sig', 'crit']

/** In the order of the template; empty when nothing is wrong. */
export function lintTemplate(template: ConnectTemplate): LintFinding[] {
  const findings: LintFinding[] = []
  const add = (code: string, message: string) => findings.push({ code, message })
  const { records, syncPubKeyDomain } = template
  for (const field of ['providerId', 'serviceId'] as const) {
    if (!idForm.test(template[field]))
      add('DCTL1002', `${field} has characters other than a-z, 0-9, hyphen and dot.`)
  }
  for (const field of ['providerName', 'serviceName'] as const) {
    if (!/\S/.test(template[field] ?? '')) add('DCTL0008', `${field} is missing.`)
  }
  if (!syncPubKeyDomain)
    add('DCTL1029', 'syncPubKeyDomain is missing: anyone could create links to it.')
  if (records.length === 0) add('DCTL1030', 'The template has no records.')
  for (const [i, record] of records.entries()) {
    for (const { code, message } of lintRecord(record, template))
      add(code, `Record ${i + 1}: ${message}`)
    const beside = record.type === 'CNAME' && records.find((other) => isBeside(other, record))
    if (beside)
      add(
        'DCTL1011',
        `The CNAME record at ${record.host ?? '@'} cannot be beside the ${beside.type} record there.`,
      )
  }
  return findings
}

/** Whether both are at one name, within the groups that are applied together. */
function isBeside(other: TemplateRecord, record: TemplateRecord): boolean {
  if (JSON.stringify(other) === JSON.stringify(record)) return false
  const isTogether = other.groupId === record.groupId || other.groupId === undefined
  return isTogether && (other.host ?? '@') === (record.host ?? '@')
}

function lintRecord(record: TemplateRecord, { hostRequired }: ConnectTemplate): LintFinding[] {
  const findings: LintFinding[] = []
  const add = (code: string, message: string) => findings.push({ code, message })
  const { data, host = '@', pointsTo, ttl, type } = record
  if (!hostForm.test(host)) add('DCTL1027', `host ${JSON.stringify(host)} is no host name.`)
  const needsHost = (type === 'CNAME' || type === 'NS') && (host === '@' || host === '')
  if (needsHost && hostRequired !== true)
    add('DCTL1012', `a ${type} record at @ needs hostRequired.`)
  if (/(^|\.)%[^%]+%$/.test(host) && /^%[^%]+%$/.test(host))
    add('DCTL1040', 'host is a variable alone: put fixed text before it.')
  if (/^%(?!fqdn%)[^%]+%$/.test(pointsTo ?? ''))
    add('DCTL1040', 'pointsTo is a variable alone: put fixed text beside it.')
  const isNumber = typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= 0
  if (isNumber && ttl > maxTtlSeconds) add('DCTL1000', 'ttl is over the maximum.')
  if (ttl !== undefined && !isNumber && !/^%[^%]+%$/.test(String(ttl)))
    add('DCTL1015', 'ttl is neither a number of seconds nor a variable.')
  if (['A', 'AAAA', 'CNAME', 'MX', 'NS'].includes(type) && !pointsTo)
    add('DCTL0008', 'pointsTo is missing.')
  if (type === 'TXT' && !data) add('DCTL0008', 'data is missing.')
  const isVariable = pointsTo?.includes('%') ?? false
  if (type === 'A' && pointsTo && !isVariable && !isIPv4(pointsTo))
    add(isIPv6(pointsTo) ? 'DCTL1035' : 'DCTL1034', 'pointsTo is no IPv4 address.')
  if (type === 'AAAA' && pointsTo && !isVariable && !isIPv6(pointsTo))
    add(isIPv4(pointsTo) ? 'DCTL1036' : 'DCTL1034', 'pointsTo is no IPv6 address.')
  for (const text of [host, pointsTo ?? '', data ?? '']) findings.push(...lintVariables(text))
  if (record.txtConflictMatchingMode === 'Prefix' && !record.txtConflictMatchingPrefix)
    add('DCTL0008', 'txtConflictMatchingPrefix is missing.')
  return findings
}

function lintVariables(text: string): LintFinding[] {
  const marks = text.split('%').length - 1
  if (marks % 2 === 1) return [{ code: 'DCTL1020', message: 'a variable does not end with %.' }]
  const names = [...text.matchAll(/%([^%]*)%/g)].map(([, name = '']) => name)
  return names
    .filter((name) => parameters.includes(name) && name !== 'host' && name !== 'domain')
    .map((name) => ({
      code: 'DCTL1009',
      message: `%${name}% has the name of a parameter of the request.`,
    }))
}

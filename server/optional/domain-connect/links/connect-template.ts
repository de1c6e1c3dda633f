// The Domain Connect template of an installation: the records that one click at a DNS provider can create. A release
// that changes its records raises its version.

import { isIPv4, isIPv6 } from 'node:net'
import { recordTtlSeconds } from '#doctor/wording.ts'
import { ownershipLabel, ownershipPrefix } from '#domains/claims/claims-on-host.ts'

/** A template record (draft-ietf-dconn-domainconnect, Template Record). */
export interface TemplateRecord {
  type: string
  groupId?: string
  host?: string
  pointsTo?: string
  data?: string
  ttl?: number | string
  essential?: 'Always' | 'OnApply'
  txtConflictMatchingMode?: 'None' | 'All' | 'Prefix'
  txtConflictMatchingPrefix?: string
}

export interface ConnectTemplate {
  providerId: string
  providerName: string
  serviceId: string
  serviceName: string
  version: number
  description?: string
  variableDescription?: string
  logoUrl?: string
  hostRequired?: boolean
  syncBlock?: boolean
  syncPubKeyDomain?: string
  syncRedirectDomain?: string
  records: TemplateRecord[]
}

export const templateVersion = 1

/** The groups of its records. `site`: the CNAME. `ownership`: the TXT record that proves who owns the name. */
export type TemplateGroup = 'site' | 'ownership'

interface TemplateFacts {
  providerId: string
  providerName: string
  serviceId: string
  serviceName: string
  logoUrl: string | undefined
  keyDomain: string
  /** Of the dashboard, to which the provider returns. */
  redirectHost: string
  platformHost: string
}

export function createTemplate(facts: TemplateFacts): ConnectTemplate {
  const { keyDomain, logoUrl, platformHost, providerId, redirectHost, serviceId } = facts
  return {
    providerId,
    providerName: facts.providerName,
    serviceId,
    serviceName: facts.serviceName,
    version: templateVersion,
    ...(logoUrl !== undefined && { logoUrl }),
    description: 'Points a subdomain to the documentation site that is published for it.',
    variableDescription: 'verify: 22 characters that prove who owns the name',
    hostRequired: true,
    syncPubKeyDomain: keyDomain,
    syncRedirectDomain: redirectHost,
    records: [
      // The target is fixed: a changed link cannot point a name anywhere else.
      { type: 'CNAME', groupId: 'site', host: '@', pointsTo: platformHost, ttl: recordTtlSeconds },
      {
        type: 'TXT',
        groupId: 'ownership',
        host: ownershipLabel,
        data: `${ownershipPrefix}%verify%`,
        ttl: 300,
        essential: 'OnApply',
        // No record is deleted for it: it may be the proof of another account.
        txtConflictMatchingMode: 'None',
      },
    ],
  }
}

/** The name of the file in the public collection of templates. */
export const templateFile = ({
  providerId,
  serviceId,
}: Pick<ConnectTemplate, 'providerId' | 'serviceId'>): string => `${providerId}.${serviceId}.json`

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

/**
 * Checks a template before it is sent to the public collection. Where a rule is one of the linter that the collection runs
 * (dc-template-linter), it has its code. In the order of the template; empty when nothing is wrong.
 */
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

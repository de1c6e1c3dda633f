// The Domain Connect template of an installation: the records that one click at a DNS provider can create. A release
// that changes its records raises its version.

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

// The state of Domain Connect at the lab's two providers: the templates that they have taken on, and their quirks, which
// real providers have had.
import type { ConnectTemplate } from '#optional/domain-connect/links/connect-template.ts'
import { type ProviderId, providers } from '../../network/topology.ts'

export const connectQuirks = {
  /** The `_domainconnect` record. `several`: an invalid value comes first. `former`: of the other provider. */
  record: ['fine', 'none', 'several', 'former'],
  /** The settings document. */
  settings: [
    'fine',
    'not_found',
    'error',
    'slow',
    'huge',
    'redirect',
    'not_json',
    'private_address',
    'other_site',
    'other_servers',
    'no_consent_page',
    'must_understand',
  ],
  /** The query for a template. */
  template: ['fine', 'unknown', 'old', 'error'],
  /** `false_success`: returns as if it had written. `false_error`: writes, and returns an error. */
  confirm: ['fine', 'false_success', 'false_error', 'late', 'no_return'],
} as const

export type QuirkKind = keyof typeof connectQuirks
export type Quirks = { [Kind in QuirkKind]: (typeof connectQuirks)[Kind][number] }

export const noQuirks: Quirks = {
  record: 'fine',
  settings: 'fine',
  template: 'fine',
  confirm: 'fine',
}

export interface ProviderConnect {
  quirks: Quirks
  /** By provider and service id. */
  templates: Map<string, ConnectTemplate>
}

export type ConnectState = Record<ProviderId, ProviderConnect>

export const templateKey = ({
  providerId,
  serviceId,
}: Pick<ConnectTemplate, 'providerId' | 'serviceId'>): string => `${providerId}/${serviceId}`

export function createConnectState(): ConnectState {
  const entries = providers.map(({ id }) => [id, { quirks: { ...noQuirks }, templates: new Map() }])
  return Object.fromEntries(entries)
}

/** The host of a provider's interface for Domain Connect. */
export const connectHost = (provider: ProviderId): string => `connect.${provider}.test`

/** How each provider deviates from the specification without being asked, after a large one. */
export const peculiarities: Record<
  ProviderId,
  { dropsState: boolean; needsSignatureLast: boolean; ignoresModes: boolean }
> = {
  burrow: { dropsState: false, needsSignatureLast: false, ignoresModes: false },
  pigeon: { dropsState: true, needsSignatureLast: true, ignoresModes: true },
}

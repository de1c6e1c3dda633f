// Domain Connect in a lab: the platform set up as its operator does, and the consent pages of the providers.
import type { Static } from 'typebox'
import { expect } from 'vitest'
import type {
  DomainConnect,
  StartedConnection,
} from '#optional/domain-connect/connections/schema.ts'
import { type ProviderId, providers } from '../../lab/network/topology.ts'
import type { Quirks } from '../../lab/registrar/connect/connect-state.ts'
import type { Engine } from '../database.ts'
import {
  type DomainsInTest,
  type DomainsOptions,
  type Owner,
  startDomains,
} from '../domains/domains-in-test.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { runCommand } from '../served-process.ts'

export type ShownRecord = DomainConnect['adds'][number]
export interface ShownRequest {
  provider: string
  refused?: string
  back?: string | null
  platform?: string
  host?: string
  adds?: ShownRecord[]
  deletes?: ShownRecord[]
}
export type Started = Static<typeof StartedConnection>

/** Runs a command of the operator; the JSON that it prints. */
export async function operate(
  { env, store }: DomainsInTest,
  words: string[],
  status = 0,
): Promise<unknown> {
  const result = await runCommand(store.place, ['connect', ...words, '--json'], env)
  expect(result.status, result.stderr).toBe(status)
  return JSON.parse(result.stdout)
}

interface PrintedKey {
  label: string
  state: string
  records: { name: string; value: string }[]
}

/** Publishes the keys that the command prints: all of them, or those of these labels. */
export async function publishKeys(
  inTest: DomainsInTest,
  keys: PrintedKey[],
  labels = keys.map(({ label }) => label),
): Promise<void> {
  const shown = keys.filter(({ label }) => labels.includes(label))
  const records = shown.flatMap((key) => key.records)
  await atRegistrar(inTest, 'PUT /platform-records', { records })
}

export const showKeys = (inTest: DomainsInTest, ...words: string[]) =>
  operate(inTest, ['key', ...words]) as Promise<PrintedKey[]>

/** Key, TXT records, template at both providers, check. */
export async function setUpConnect(inTest: DomainsInTest): Promise<void> {
  await publishKeys(inTest, await showKeys(inTest))
  const template = await operate(inTest, ['template', '--provider-name', 'Acorn Docs'])
  for (const { id } of providers)
    await atRegistrar(inTest, `PUT /connect/${id}/templates`, { template })
  expect(await operate(inTest, ['check'])).toMatchObject({ activated: '_dck1' })
}

export async function startConnect(
  engine: Engine,
  options: DomainsOptions = {},
): Promise<DomainsInTest> {
  const inTest = await startDomains(engine, { hasConnect: true, ...options })
  await setUpConnect(inTest)
  return inTest
}

/** A request to the registrar's API from its own pages. Throws unless it succeeds. */
export async function atRegistrar(
  { lab }: Pick<DomainsInTest, 'lab'>,
  route: string,
  body: object = {},
): Promise<unknown> {
  const [method = '', path = ''] = route.split(' ')
  const { consentOrigin: origin } = lab
  const headers = { origin, 'content-type': 'application/json' }
  const sent = { method, headers, body: JSON.stringify(body) }
  const response = await fetch(`${origin}/api${path}`, sent)
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

export const setQuirks = (inTest: DomainsInTest, provider: ProviderId, quirks: Partial<Quirks>) =>
  atRegistrar(inTest, `PUT /connect/${provider}/quirks`, quirks)

/** What the consent page shows, or does. */
export async function atConsent(
  inTest: DomainsInTest,
  link: string,
  what: 'show' | 'confirm' | 'cancel' = 'show',
): Promise<ShownRequest> {
  const { pathname: path, search: query } = new URL(link)
  return (await atRegistrar(inTest, `POST /connect/${what}`, { path, query })) as ShownRequest
}

export async function getConnect(owner: Owner, host: string): Promise<DomainConnect> {
  return expectJson(await owner.ask(`/${host}/connect`), 200) as DomainConnect
}

export async function start(owner: Owner, host: string): Promise<Started> {
  const response = await owner.post(`/${host}/connect`)
  return expectJson(response, 201) as Started
}

/** As the page of the dashboard does when a provider returns the browser there. */
export function comeBack({ person }: Pick<Owner, 'person'>, back: string) {
  const { pathname, searchParams } = new URL(back)
  const [error, errorDescription] = [
    searchParams.get('error'),
    searchParams.get('error_description'),
  ]
  const body = {
    state: pathname.split('/').at(-1),
    ...(error !== null && { error }),
    ...(errorDescription !== null && { errorDescription }),
  }
  return person.ask('/domain-connections/return', { body })
}

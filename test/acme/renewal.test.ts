// What renewal needs of a real authority: renewal information, replaced certificates, and revocation.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AcmeAccount, type AcmeClient, getDirectory } from '#acme/requests/acme-client.ts'
import { createOrder } from '#acme/resources/orders.ts'
import { chooseRenewalTime, getRenewalInfo } from '#acme/resources/renewal-info.ts'
import { readCertificate } from '#acme/x509/certificate.ts'
import { type AuthorityInTest, startAuthority } from './authority-in-test.ts'
import { begin, issue } from './issue.ts'
import { revoke } from './revoke.ts'

const dayMs = 86_400_000
let authority: AuthorityInTest
let account: AcmeAccount
let client: AcmeClient
beforeAll(async () => {
  authority = await startAuthority({ validitySeconds: 90 * 86_400 })
  account = await authority.account()
})
beforeEach(() => {
  client = authority.client()
})
afterAll(() => authority.stop())

/** An older Pebble is skipped, and the report shows it. */
async function skipWithoutRenewalInfo(skip: (condition: boolean, note: string) => void) {
  const { renewalInfo } = await getDirectory(client)
  skip(renewalInfo === undefined, 'SKIPPED: this Pebble has no renewal information')
}

async function issueFor(host: string) {
  const issued = await issue(client, authority, begin(account, { hosts: [host] }))
  const facts = readCertificate(issued.chain)
  return { ...issued, facts, renewalId: facts.renewalId ?? '' }
}

describe('renewal information', () => {
  it('is a window that opens when a third of the lifetime is left', async ({ skip }) => {
    await skipWithoutRenewalInfo(skip)
    const { facts, renewalId } = await issueFor('window.example')
    const info = await getRenewalInfo(client, renewalId)
    if (!info) throw new Error('there is no renewal information')
    const at = chooseRenewalTime(facts, info.window, 0.5)
    expect(Math.abs(at - (facts.notAfter - 30 * dayMs))).toBeLessThan(2 * dayMs)
    // Pebble's value is six hours.
    expect(info.askAgainAt - Date.now()).toBeGreaterThan(5 * 3_600_000)
    expect(info.askAgainAt - Date.now()).toBeLessThanOrEqual(6 * 3_600_000)
  })

  it('changes when the authority changes it, with an explanation', async ({ skip }) => {
    const { chain, facts, renewalId } = await issueFor('moved.example')
    const start = Date.now() - 2 * dayMs
    const answer = JSON.stringify({
      suggestedWindow: {
        start: new Date(start).toISOString(),
        end: new Date(start + dayMs).toISOString(),
      },
      explanationURL: 'https://status.example/incident',
    })
    const isSet = await authority.pebble.setRenewalInfo(chain, answer)
    skip(!isSet, 'SKIPPED: the renewal window of this Pebble cannot be moved')
    const info = await getRenewalInfo(client, renewalId)
    expect(info).toMatchObject({
      window: { start, end: start + dayMs },
      explanationUrl: 'https://status.example/incident',
    })
    expect(chooseRenewalTime(facts, info?.window, 0.3)).toBe(Math.floor(start + 0.3 * dayMs))
  })

  it.each([
    ['not JSON', 'soon', 'the response is not JSON'],
    ['without a window', '{}', 'suggestedWindow is not an object'],
    [
      'a window that ends before it starts',
      '{"suggestedWindow":{"start":"2030-02-01T00:00:00Z","end":"2030-01-01T00:00:00Z"}}',
      'suggestedWindow ends before it starts',
    ],
    [
      'with an invalid time',
      '{"suggestedWindow":{"start":"tomorrow","end":"2030-01-01T00:00:00Z"}}',
      'start is not a date and time',
    ],
  ])('is refused if it is %s', async (_, answer, detail) => {
    const { chain, renewalId } = await issueFor('odd.example')
    if (!(await authority.pebble.setRenewalInfo(chain, answer))) {
      return console.warn('SKIPPED: the renewal window of this Pebble cannot be moved')
    }
    const asked = getRenewalInfo(client, renewalId)
    await expect(asked).rejects.toMatchObject({ reason: 'malformed', detail })
  })

  it('is missing for an unknown certificate', async ({ skip }) => {
    await skipWithoutRenewalInfo(skip)
    const asked = getRenewalInfo(client, 'AAAAAAAAAAAAAAAAAAAAAAAAAAA.AQID')
    await expect(asked).rejects.toMatchObject({
      name: 'AcmeProblem',
      operation: 'renewal information',
    })
  })
})

describe('an order that replaces a certificate', () => {
  it('is accepted once; a second one for the same certificate is refused', async ({ skip }) => {
    await skipWithoutRenewalInfo(skip)
    const { renewalId } = await issueFor('replaced.example')
    const requested = { hosts: ['replaced.example'], replaces: renewalId }
    await issue(client, authority, begin(account, requested))
    const again = createOrder({ client, account }, requested)
    await expect(again).rejects.toMatchObject({ type: 'alreadyReplaced', status: 409 })
  })

  it('is refused when its hosts differ', async ({ skip }) => {
    await skipWithoutRenewalInfo(skip)
    const { renewalId } = await issueFor('mine.example')
    const order = createOrder(
      { client, account },
      { hosts: ['yours.example'], replaces: renewalId },
    )
    await expect(order).rejects.toMatchObject({ name: 'AcmeProblem', operation: 'new order' })
  })
})

describe('a revocation', () => {
  it('moves the renewal window into the past', async ({ skip }) => {
    await skipWithoutRenewalInfo(skip)
    const { chain, renewalId } = await issueFor('gone.example')
    await revoke({ client, account }, chain)
    const info = await getRenewalInfo(client, renewalId)
    expect(info?.window.end).toBeLessThan(Date.now())
  })
})

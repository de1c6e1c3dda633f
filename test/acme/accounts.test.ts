// Accounts at a real authority: created, found by their keys, bound to an external account.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { getDirectory } from '#acme/requests/acme-client.ts'
import { createAccount } from '#acme/resources/accounts.ts'
import { createOrder } from '#acme/resources/orders.ts'
import { createKey } from '#acme/x509/keys.ts'
import { type AuthorityInTest, startAuthority } from './authority-in-test.ts'

let authority: AuthorityInTest
beforeAll(async () => {
  authority = await startAuthority()
})
afterAll(() => authority.stop())

const requested = { hosts: ['account.example'] }

describe('an account', () => {
  it('is created once for each key, and found by it', async () => {
    const client = authority.client()
    const privateKey = await createKey()
    const contacts = ['mailto:owner@example.com']
    const made = await createAccount(client, { privateKey, contacts })
    const again = await createAccount(client, { privateKey, contacts: [] })
    expect(again).toEqual(made)
  })
})

describe('where an external account is required', () => {
  const macKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'
  const otherKey = 'b10lLJs8l1GPIzsLP0s6pMt8O0XVGnfTaCeROxQM0BIt2XrJMDHJZBM5NuQmQJQH'
  let strict: AuthorityInTest
  beforeAll(async () => {
    strict = await startAuthority({ externalAccounts: { 'kid-1': macKey } })
  })
  afterAll(() => strict.stop())

  it('the binding creates one', async () => {
    const client = strict.client()
    expect((await getDirectory(client)).externalAccountRequired).toBe(true)
    const account = await createAccount(client, {
      privateKey: await createKey(),
      contacts: [],
      externalAccount: { keyId: 'kid-1', macKey },
    })
    expect(account.url).toMatch(/^https:/)
  })

  it.each([
    ['no binding', undefined, 'externalAccountRequired'],
    ['another MAC key', { keyId: 'kid-1', macKey: otherKey }, 'unauthorized'],
    ['an unknown id', { keyId: 'kid-2', macKey }, 'unauthorized'],
  ])('%s creates none', async (_, externalAccount, type) => {
    const account = { privateKey: await createKey(), contacts: [] }
    const made = createAccount(strict.client(), { ...account, externalAccount })
    await expect(made).rejects.toMatchObject({ type, operation: 'new account' })
  })
})

it('a new client needs no state of the old one', async () => {
  const own = await startAuthority()
  onTestFinished(() => own.stop())
  const account = await own.account(own.client())
  const { status } = await createOrder({ client: own.client(), account }, requested)
  expect(status).toBe('pending')
})

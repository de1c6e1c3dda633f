// All operations on the store and the system, in a table: who may call them, and with which token.
import { beforeAll, describe, expect, it } from 'vitest'
import { tokenScopes } from '#kit/management/caller.ts'
import type { Operation } from '#kit/management/route.ts'
import { systemRoutes } from '#kit/system/routes.ts'
import { webhookRoutes } from '#optional/webhooks/open.ts'
import { keyRoutes } from '#store/keys/routes.ts'
import { storeRoutes } from '#store/store.ts'
import { systemCheckRoutes } from '#system-checks/open-system-checks.ts'
import type { Person, PersonAsk } from '../publishing/publishing-in-test.ts'
import { managing, store } from './store-in-test.ts'

const operations: Operation[] = [
  ...storeRoutes,
  ...webhookRoutes,
  ...systemRoutes,
  ...systemCheckRoutes,
].map(({ operation }) => operation)

let member: Person

managing('sqlite')
beforeAll(async () => {
  member = await store.member()
})

function call(
  { route }: Operation,
  ask: (path: string, options?: PersonAsk) => ReturnType<Person['ask']>,
  options: PersonAsk = {},
) {
  const [method = '', path = ''] = route.split(' ')
  const target = path.replace('{environment}', 'production').replaceAll(/\{\w+\}/g, '999999')
  return ask(target, { method, ...options })
}

it('have unique names', () => {
  expect(operations.length).toBeGreaterThan(30)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
})

describe.each(operations.map((one) => [one.operationId, one] as const))('%s', (_, operation) => {
  it('requires an operator', async () => {
    expect((await call(operation, store.anonymous)).json).toMatchObject({ code: 'not_signed_in' })
    expect((await call(operation, member.ask)).json).toMatchObject({ code: 'operator_only' })
    const token = await member.token([...tokenScopes])
    const refused = await call(operation, store.anonymous, { token })
    expect(refused.status).toBe(403)
  })

  it('refuses a token without its scope', async () => {
    const others = tokenScopes.filter((scope) => scope !== operation.scope)
    const token = await store.token(others)
    const refused = await call(operation, store.anonymous, { token })
    expect(refused.json).toMatchObject({ code: 'insufficient_scope' })
  })

  it('refuses requests of other sites', async () => {
    const headers = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    const refused = await call(operation, store.operator.ask, { headers })
    expect(refused.json).toMatchObject({ code: 'cross_site_request' })
  })
})

it('accepts a token with the scope', async () => {
  const token = await store.token(['store:read'])
  const seen = await store.anonymous('/store/production/pets', { token })
  expect(seen.status).toBe(200)
  const written = await store.anonymous('/store/production/pets', { token, body: {} })
  expect(written.json).toMatchObject({ code: 'insufficient_scope' })
})

it('no token can create a key', () => {
  const made = keyRoutes.filter(({ operation }) => operation.scope === undefined)
  expect(made.map(({ operation }) => operation.operationId)).toEqual([
    'createApiKey',
    'changeApiKey',
    'rotateApiKey',
  ])
})

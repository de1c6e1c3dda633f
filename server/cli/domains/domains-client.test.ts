import { Type } from 'typebox'
import { expect, it } from 'vitest'
import type { Operation } from '#kit/management/operation.ts'
import { route } from '#kit/management/route.ts'
import { createLocalManagement } from './domains-client.ts'

const operation = {
  route: 'GET /domains',
  operationId: 'listDomains',
  tag: 'Domains',
  summary: 'List',
  access: 'member',
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }),
  status: 200,
  returns: Type.Unknown(),
  errors: [],
} as unknown as Operation

it('parses the query as the server does', async () => {
  const { call } = createLocalManagement([route(operation, async ({ query }) => query)])
  const ask = call as unknown as (name: string, input?: object) => Promise<unknown>
  const list = (query: object) => ask('GET /domains', { query })
  expect(await list({ limit: '7' })).toEqual({ limit: 7 })
  await expect(list({ limit: 1000 })).rejects.toMatchObject({ status: 400 })
  await expect(list({ limit: 'many' })).rejects.toMatchObject({ status: 400 })
})

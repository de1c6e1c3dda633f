import { Type } from 'typebox'
import { expect, it } from 'vitest'
import type { Clock } from '#kit/clock.ts'
import { bindRoutes, routesOf } from '#kit/management/route.ts'
import { createLocalManagement } from './domains-client.ts'

const query = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) })
const list = routesOf<{ clock: Clock }>({ tag: 'domains', access: 'account' })(
  'GET /domains',
  'listDomains',
  {
    summary: 'List',
    query,
    returns: Type.Unknown(),
    handle: async (call) => call.query,
  },
)

it('parses the query as the server does', async () => {
  const { call } = createLocalManagement(bindRoutes([list], { clock: Date.now }))
  const ask = call as unknown as (name: string, input?: object) => Promise<unknown>
  const listed = (query: object) => ask('GET /domains', { query })
  expect(await listed({ limit: '7' })).toEqual({ limit: 7 })
  await expect(listed({ limit: 1000 })).rejects.toMatchObject({ status: 400 })
  await expect(listed({ limit: 'many' })).rejects.toMatchObject({ status: 400 })
})

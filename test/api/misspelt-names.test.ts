// What a client misspells is never ignored: every operation of both APIs refuses an unknown parameter, and every body a
// field that looks like one of its own.
import { expect, it } from 'vitest'
import { startPublishing } from '../publishing/publishing-in-test.ts'
import { refusal } from '../running-store.ts'
import { shared } from '../shared.ts'

interface Declared {
  operationId: string
  requestBody?: { content: Record<string, unknown> }
}
interface Asked {
  api: 'store' | 'management'
  method: string
  path: string
  headers: Record<string, string>
}

const publishing = shared(() => startPublishing('sqlite'))

const params: Record<string, string> = { environment: 'staging', slug: 'x', image: 'logo' }

/** All operations of the document, with the media type of a body that they take. */
function operationsOf(api: Asked['api'], document: unknown): Asked[] {
  const { paths } = document as { paths: Record<string, Record<string, Declared>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => {
      const [type] = Object.keys(requestBody?.content ?? {})
      return {
        ...{ api, method: method.toUpperCase() },
        path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '1'),
        headers: { ...(type && { 'content-type': type }) },
      }
    }),
  )
}

async function ask({ api, headers, method, path }: Asked, query: string) {
  const target = `${path}?${query}`
  if (api === 'store') return await publishing.store.ask(target, { method, headers })
  const { dashboardUrl } = publishing.store.running.config
  const response = await fetch(`${dashboardUrl.origin}/api${target}`, {
    method,
    headers: { cookie: publishing.operator.cookie(), origin: dashboardUrl.origin, ...headers },
    signal: AbortSignal.timeout(20_000),
  })
  const json: unknown = await response.json().catch(() => undefined)
  return { status: response.status, json }
}

it('an unknown parameter is refused by every operation', async () => {
  const store = (await publishing.store.ask('/openapi.json')).json
  const management = (await publishing.anonymous('/openapi.json')).json
  const all = [...operationsOf('store', store), ...operationsOf('management', management)]
  expect(all.length).toBeGreaterThan(150)
  const ignoring: string[] = []
  for (const asked of all) {
    const { json, status } = await ask(asked, 'lost%5B%5D=1&utm_source=mail&_=1')
    const { code, details } = (json ?? {}) as { code?: string; details?: { path: string }[] }
    const names = details?.map(({ path }) => path)
    if (status !== 400 || code !== 'invalid_parameter' || !names?.includes('lost[]')) {
      ignoring.push(`${asked.api} ${asked.method} ${asked.path}: ${status} ${code}`)
    }
  }
  expect(ignoring).toEqual([])
})

it.each([
  ['/pets/import?dryrun=true', 'did you mean dryRun?'],
  ['/pets/import?dry_run=true', 'did you mean dryRun?'],
  ['/pets?id[]=2', 'did you mean id?'],
  ['/pets?status[0]=sold', 'did you mean status?'],
  ['/pets?LIMIT=1', 'did you mean limit?'],
  ['/pets?lmit=1', 'did you mean limit?'],
  ['/pets?offset=1', 'Parameters: limit, status, categoryId, id, cursor.'],
  ['/pets/1?fields=name', 'There are none here.'],
])('%s: %s', async (path, hint) => {
  const isImport = path.startsWith('/pets/import')
  const options = isImport ? { body: '[]', headers: { 'content-type': 'application/json' } } : {}
  const { json, status } = await publishing.store.ask(path, options)
  expect(status).toBe(400)
  expect((json as { message: string }).message).toContain(hint)
})

it('a field that looks like an absent one is refused, and other unknown ones are ignored', async () => {
  const add = (body: object) => publishing.store.ask('/pets', { body })
  const pet = { name: 'Rex', categoryId: 1 }
  for (const name of ['staus', 'Status', 'statsu', 'status_']) {
    expect(await add({ ...pet, [name]: 'sold' })).toMatchObject(refusal(400, 'invalid_body', name))
  }
  expect((await add({ ...pet, status: 'sold', Status: 'sold', colour: 'red' })).status).toBe(201)
})

it('the parameters of a list may be repeated, and a category filters', async () => {
  const { store } = publishing
  const made: number[] = []
  for (const categoryId of [70, 71, 70]) {
    const { json } = await store.ask('/pets', { body: { name: 'Mia', categoryId } })
    made.push((json as { id: number }).id)
  }
  const idsAt = async (query: string) =>
    ((await store.ask(`/pets?${query}`)).json as { id: number }[]).map(({ id }) => id)
  expect(await idsAt(`id=${made[0]}&id=${made[1]},${made[2]}`)).toEqual(made)
  expect(await idsAt('categoryId=70')).toEqual([made[0], made[2]])
  const { headers } = await store.ask('/pets?categoryId=70&limit=1', {
    headers: { prefer: 'count=exact' },
  })
  expect(headers['x-total-count']).toBe('2')
  const next = /<([^>]+)>; rel="next"/.exec(headers.link as string)?.[1] as string
  expect(await idsAt(new URL(next).search.slice(1))).toEqual([made[2]])
})

it.each(['/pets/', '/categories/', '/store/orders/', '/pets/1/'])(
  '%s is no address: a parameter is never empty',
  async (path) => {
    const answer = await publishing.store.ask(path)
    expect(answer).toMatchObject(refusal(404, 'route_not_found'))
    expect(answer.headers.deprecation).toBeUndefined()
  },
)

it('conditions are evaluated wherever they are sent', async () => {
  const { store } = publishing
  const { json } = await store.ask('/pets', { body: { name: 'Rex', categoryId: 1 } })
  const path = `/pets/${(json as { id: number }).id}`
  const etag = (await store.ask(path)).headers.etag as string
  const statusOf = async (method: string, headers: Record<string, string>, at = path) => {
    const body = method === 'PATCH' ? { name: 'Rex' } : undefined
    return (await store.ask(at, { method, headers, ...(body && { body }) })).status
  }
  for (const at of [path, '/pets']) {
    expect(await statusOf('GET', { 'if-match': '"zz"' }, at)).toBe(412)
    expect(await statusOf('GET', { 'if-match': '*' }, at)).toBe(200)
  }
  expect(await statusOf('GET', { 'if-match': etag })).toBe(200)
  for (const method of ['PATCH', 'DELETE']) {
    for (const excluded of ['*', etag]) {
      expect(await statusOf(method, { 'if-none-match': excluded })).toBe(412)
    }
  }
  expect(await statusOf('PATCH', { 'if-none-match': '"zz"' })).toBe(200)
})

it.each([
  ['POST', 'text/plain', 'Send the body as Content-Type: application/json.'],
  ['POST', 'application/json; charset=utf8', 'Encode the body as UTF-8'],
  ['POST', 'application/json; charset=utf-8; charset=utf-16', '"utf-16" is not supported'],
])('a 415 to %s of %s says %s', async (method, type, message) => {
  const options = { method, body: '{}', headers: { 'content-type': type } }
  const { headers, json, status } = await publishing.store.ask('/pets', options)
  expect({ status, accepted: headers['accept-post'] }).toEqual({
    ...{ status: 415, accepted: 'application/json' },
  })
  expect((json as { message: string }).message).toContain(message)
  const there = await publishing.store.ask('/pets', { method: 'OPTIONS' })
  expect(there.headers['accept-post']).toBe('application/json')
})

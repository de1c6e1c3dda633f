// Each sample is run as printed against a server that keeps what it receives.
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenOnFreePort } from '../../../test/listen.ts'
import { runSample, sampleIn, sampleLanguages, statusIn } from '../../../test/run-sample.ts'
import { documentOf, renderDocument } from './document-in-test.ts'

const received: { request: IncomingMessage; body: string }[] = []
const server = createServer(async (request, response) => {
  received.push({ request, body: await text(request) })
  response.writeHead(207).end('answer')
})
let url = ''
beforeAll(async () => {
  url = `http://127.0.0.1:${await listenOnFreePort(server)}/v1`
})
afterAll(() => server.close())

const nasty = `it's $(touch x) \`touch y\` "q" \\ !h {a,b} * \${z} %s #{w}`

describe.each(sampleLanguages)('a sample in %s', (language) => {
  async function sent(operation: object, rest: object = {}, method = 'get') {
    const document = documentOf(operation, { servers: [{ url }], ...rest }) as {
      paths: Record<string, object>
    }
    const { pages } = renderDocument({
      ...document,
      paths: { '/pets/{petId}': { [method]: operation } },
    })
    const code = sampleIn(pages[1]?.html ?? '', language)
    const variables = { API_KEY: 'k e"y', TOKEN: 'tok', USERNAME: 'ann', PASSWORD: 'p w' }
    const output = await runSample(language, code, variables)
    expect(statusIn(output, language)).toBe(207)
    expect(output).toContain('answer')
    const { request, body } = received.splice(0).at(-1) ?? {}
    if (!request || body === undefined) throw new Error('nothing was sent')
    expect(request.method).toBe(method.toUpperCase())
    return { request, headers: request.headers, url: new URL(request.url ?? '', url), body }
  }

  it('sends parameters and a body of JSON as they are, whatever a shell or language would make of them', async () => {
    const parameters = [
      { name: 'petId', in: 'path', example: nasty },
      { name: `q'$x`, in: 'query', required: true, example: nasty },
      { name: 'X-Nasty', in: 'header', required: true, example: nasty },
      { name: 'c', in: 'cookie', required: true, example: 'v' },
      { name: 'list', in: 'query', required: true, example: ['a', 'b'] },
      { name: 'optional', in: 'query' },
    ]
    const example = {
      a: `${nasty}\n𝓜\u2028`,
      yes: [true, false, null, 'true "null"'],
      n: 1.5,
      o: {},
    }
    const content = { 'application/json': { example } }
    const request = await sent({ parameters, requestBody: { content } }, {}, 'post')
    expect(decodeURIComponent(request.url.pathname)).toBe(`/v1/pets/${nasty}`)
    expect(request.url.searchParams.get(`q'$x`)).toBe(nasty)
    expect(request.url.searchParams.getAll('list')).toEqual(['a', 'b'])
    expect(request.url.searchParams.has('optional')).toBe(false)
    // Braces in an address mean something to curl itself.
    expect(request.request.url).not.toMatch(/[{}[\]]/)
    expect(request.headers).toMatchObject({
      'x-nasty': nasty,
      cookie: 'c=v',
      'content-type': 'application/json',
    })
    expect(JSON.parse(request.body)).toEqual(example)
  })

  it.each([
    ['bearer', { type: 'http', scheme: 'bearer' }, { authorization: 'Bearer tok' }],
    ['basic', { type: 'http', scheme: 'basic' }, { authorization: 'Basic YW5uOnAgdw==' }],
    ['key', { type: 'apiKey', in: 'header', name: 'X-Key' }, { 'x-key': 'k e"y' }],
    ['cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, { cookie: 'sid=k e"y' }],
  ])('authenticates by %s', async (name, scheme, expected) => {
    const rest = { components: { securitySchemes: { [name]: scheme } } }
    const { headers } = await sent({ security: [{ [name]: [] }] }, rest, 'delete')
    expect(headers).toMatchObject(expected)
  })

  it('keeps integers that JavaScript would round, and __proto__', async () => {
    const example = '{"n":9007199254740993,"__proto__":{"a":1}}'
    const requestBody = { content: { 'application/json': { example } } }
    expect((await sent({ requestBody }, {}, 'put')).body).toBe(example)
  })

  it('sends text, files and forms', async () => {
    const properties = {
      name: { type: 'string', example: nasty },
      photo: { type: 'string', format: 'binary' },
    }
    const schema = { type: 'object', properties }
    const post = (type: string, media: object) =>
      sent({ requestBody: { content: { [type]: media } } }, {}, 'post')
    expect((await post('text/csv', { example: '@name\n1' })).body).toBe('@name\n1')
    const binary = await post('application/octet-stream', { schema: { type: 'string' } })
    expect(binary).toMatchObject({
      body: 'bytes',
      headers: { 'content-type': 'application/octet-stream' },
    })
    const form = await post('application/x-www-form-urlencoded', { schema })
    expect(new URLSearchParams(form.body).get('name')).toBe(nasty)
    const { body, headers } = await post('multipart/form-data', { schema })
    const parts = await new Response(body, {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData()
    expect(parts.get('name')).toBe(nasty)
    expect(await (parts.get('photo') as File).text()).toBe('bytes')
  })
})

it('a key in the query is encoded', async () => {
  const scheme = { type: 'apiKey', in: 'query', name: 'key' }
  const rest = { servers: [{ url }], components: { securitySchemes: { scheme } } }
  const { pages } = renderDocument(documentOf({ security: [{ scheme: [] }] }, rest))
  const html = pages[1]?.html ?? ''
  for (const language of ['javascript', 'python'] as const) {
    await runSample(language, sampleIn(html, language), { API_KEY: 'k&e"y' })
    expect(received.splice(0)[0]?.request.url).toBe('/v1/pets/petId?key=k%26e%22y')
  }
  // What a variable of the shell contains is not encoded.
  expect(sampleIn(html, 'curl')).toBe(`curl ${url}/pets/petId'?key='"$API_KEY"`)
})

it.each(['-o /etc/passwd', 'javascript:alert(1)', 'ftp://x', "'; touch z; '"])(
  'a server of %s is none',
  (server) => {
    const { pages } = renderDocument(documentOf({}, { servers: [{ url: server }] }))
    expect(sampleIn(pages[1]?.html ?? '', 'curl')).toBe('curl https://example.com/pets/petId')
  },
)

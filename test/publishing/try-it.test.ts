// `tryIt` in site.yaml: the policy of every page, and what is refused.

import { dump } from 'js-yaml'
import { beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { archiveOf } from './archive-of.ts'
import { newProject, owner, publishing, serving, slug } from './serving.ts'

const policy =
  "default-src 'self'; img-src 'self' data: https:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
const staging = 'https://staging.example.com/v1'
const operation = { responses: { 200: { description: 'Here.' } } }
const document = dump({
  openapi: '3.1.0',
  info: { title: 'Tried', version: '1' },
  servers: [{ url: 'https://api.example.com/v1' }, { url: staging, description: 'staging' }],
  components: {
    schemas: { Thing: { type: 'object' } },
    securitySchemes: {
      inQuery: { type: 'apiKey', in: 'query', name: 'key' },
      bearer: { type: 'http', scheme: 'bearer' },
    },
  },
  paths: {
    '/things': {
      get: { operationId: 'list', security: [{ inQuery: [] }, { bearer: [] }], ...operation },
      post: { operationId: 'query-key', security: [{ inQuery: [] }], ...operation },
      put: {
        operationId: 'other-server',
        servers: [{ url: 'https://files.example.com' }],
        ...operation,
      },
    },
  },
  webhooks: { hook: { post: { operationId: 'hook', ...operation } } },
})
const files = (settings: string) => ({
  'index.md': '# Home\n',
  'reference/own.md': '# A page beside the reference\n',
  'openapi.yaml': document,
  'site.yaml': settings,
})

describe.each(cases(engines))('tryIt on %s', (engine) => {
  serving(engine)
  beforeAll(() => owner.create('tried'))
  const policyOf = async (path: string) =>
    (await publishing.visit('tried', path)).headers['content-security-policy']
  const pages = [
    '/',
    '/reference/',
    '/reference/own',
    '/reference/query-key',
    '/reference/hook',
    '/reference/other-server',
    '/reference/schemas/thing',
    '/404',
    '/nowhere',
  ]

  it('allows one origin on pages of operations that can be sent, and nothing else', async () => {
    await owner.deploy('tried', archiveOf(files(`tryIt: { server: ${staging}/ }`)))
    // First from the database, then from memory.
    for (const _ of [1, 2]) {
      expect(await policyOf('/reference/list')).toBe(
        `${policy}; connect-src 'self' https://staging.example.com`,
      )
    }
    for (const path of pages) expect(await policyOf(path), path).toBe(policy)
    const { text } = await publishing.visit('tried', '/reference/list')
    expect(text).toContain('type="password" autocomplete="off"')
    expect(text).toMatch(/<script type="module" src="\/_site\/try-it-/)
    for (const path of pages) {
      expect((await publishing.visit('tried', path)).text, path).not.toMatch(
        /try-it-|type="password"/,
      )
    }
  })

  it('is as before once it is off', async () => {
    await owner.deploy('tried', archiveOf(files('title: Off')))
    for (const path of [...pages, '/reference/list'])
      expect(await policyOf(path), path).toBe(policy)
    expect((await publishing.visit('tried', '/reference/list')).text).not.toContain('api-try')
  })
  it('staging allows no origin of its own accord without the first project', async () => {
    const { httpPort, platformHost } = publishing.store.running.config
    const headers = { origin: `http://animal-store.${platformHost}:${httpPort}` }
    const response = await publishing.store.askStaging('/pets', { headers })
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each([
    [
      'https://other.example.com/v1',
      /servers of the OpenAPI document: https:\/\/api\.example\.com\/v1, https:\/\/staging/,
    ],
    ['http://staging.example.com/v1', /https address/],
    ['https://staging.example.com;script-src *', /https address/],
    ['https://*.example.com', /https address/],
    ['https://user:pass@staging.example.com', /https address/],
    ['/v1', /https address/],
  ])('%s', async (server, message) => {
    await newProject()
    const settings = `title: x\ntryIt: { server: ${JSON.stringify(server)} }`
    expect(await owner.deploy(slug, archiveOf(files(settings)))).toMatchObject({
      state: 'failed',
      failure: { message: expect.stringMatching(message), file: 'site.yaml', line: 2 },
    })
  })
})

// All operations of publishing, in tables: who may call them, with which token, and each error that their document
// declares. Only on one engine, because the engine does not matter here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { each } from '#kit/database/database.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import type { Operation } from '#kit/management/route.ts'
import type { PublishingTables } from '#publishing/database/tables.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import { deployRoutes } from '#publishing/deploys/routes.ts'
import { previewRoutes } from '#publishing/previews/routes.ts'
import { projectRoutes } from '#publishing/projects/routes.ts'
import { archiveOf } from './archive-of.ts'
import {
  type Person,
  type PersonAsk,
  type PublishingInTest,
  startPublishing,
} from './publishing-in-test.ts'
import { openPublishingRows } from './publishing-rows.ts'

const operations: Operation[] = [...projectRoutes, ...deployRoutes, ...previewRoutes].map(
  ({ operation }) => operation,
)
/** Leaves no room for the name of a preview. */
const longSlug = 'x'.repeat(60)
const content = Buffer.from('<h1>Hello</h1>')
const hash = contentHash(content)

/** A valid call of each operation, on a project with a live deploy and an earlier one. */
const calls: Record<string, PersonAsk & { query?: string }> = {
  listProjects: {},
  searchProjects: { query: '?text=docs' },
  getStorage: {},
  createProject: { body: { name: 'New', slug: 'new' } },
  getProject: {},
  changeProject: { body: { name: 'docs' } },
  setVisibility: { body: { visibility: 'public' } },
  deleteProject: { query: '?name=docs' },
  listDeploys: {},
  getDeploy: {},
  getDeployReport: {},
  findMissingFiles: { body: { hashes: [hash] } },
  uploadFile: { body: content, type: 'application/octet-stream' },
  createDeploy: { body: { files: [{ path: 'index.html', hash }] } },
  deployArchive: { body: archiveOf({ 'index.html': 'x' }), type: 'application/gzip' },
  restoreDeploy: {},
  listPreviews: {},
  putPreview: { body: {} },
  promotePreview: {},
  endPreview: {},
}

let publishing: PublishingInTest
let owner: Person
let stranger: Person
let viewer: Person

beforeAll(async () => {
  publishing = await startPublishing('sqlite')
  owner = await publishing.member()
  stranger = await publishing.member()
  await owner.create('docs')
  viewer = await publishing.member()
  await owner.addMember('docs', viewer, 'viewer')
  for (const text of ['one', 'two']) await owner.deploy('docs', archiveOf({ 'index.html': text }))
  await owner.deployFolder('docs', { 'index.html': content })
})
afterAll(() => publishing.release())

function call(
  { operationId, route }: Operation,
  person: { ask: Person['ask'] },
  extra: PersonAsk = {},
) {
  const [method = '', path = ''] = route.split(' ')
  const { query = '', ...options } = calls[operationId] ?? {}
  return person.ask(pathOf(path, 'docs') + query, { method, ...options, ...extra })
}

function pathOf(path: string, slug: string): string {
  const params = { slug, number: '1', hash, preview: 'branch' }
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => params[name as keyof typeof params])
}

const anonymous = {
  ask: (path: string, options?: PersonAsk) => publishing.anonymous(path, options),
}

it('has a call of each operation', () => {
  expect(Object.keys(calls)).toEqual(operations.map(({ operationId }) => operationId))
})

describe.each(operations.map((one) => [one.operationId, one] as const))('%s', (_, operation) => {
  it('requires authentication', async () => {
    expect((await call(operation, anonymous)).json).toMatchObject({ code: 'not_signed_in' })
    expect((await call(operation, anonymous, { token: 'as_pat_x_y' })).json).toMatchObject({
      code: 'invalid_token',
    })
  })

  it('refuses requests of other sites', async () => {
    const headers = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    const [method = ''] = operation.route.split(' ')
    const sent = method === 'GET' ? { 'sec-fetch-site': 'same-site' } : headers
    expect((await call(operation, owner, { headers: sent })).json).toMatchObject({
      code: 'cross_site_request',
    })
    const site = { origin: 'http://docs.docs.localhost', 'sec-fetch-site': 'same-site' }
    expect((await call(operation, owner, { headers: site })).json).toMatchObject({
      code: 'cross_site_request',
    })
  })

  it('responds only in JSON', async () => {
    const headers = { accept: 'text/html' }
    const answer = await call(operation, owner, { headers })
    expect(answer).toMatchObject({ status: 406, json: { code: 'not_acceptable' } })
  })

  it('accepts only access tokens with its scope', async () => {
    const scopes = ['projects:read', 'projects:write', 'deploys:write'] as const
    for (const scope of scopes) {
      const token = await owner.token([scope])
      const answer = await call(operation, owner, { token })
      if (scope === operation.scope) expect(answer.status, answer.text).not.toBe(403)
      else expect(answer.json).toMatchObject({ code: 'insufficient_scope' })
    }
  })

  if (operation.route.includes('{slug}'))
    it('hides the projects of others', async () => {
      const [first, second] = [
        await call(operation, stranger),
        await stranger.ask('/projects/no-such'),
      ]
      expect(first.json).toEqual(second.json)
      expect(first.json).toMatchObject({ code: 'project_not_found' })
    })

  if (operation.errors.includes('role_required'))
    it('refuses viewers', async () => {
      expect(await call(operation, viewer)).toMatchObject({
        status: 403,
        json: { code: 'role_required' },
      })
    })

  if (operation.route.includes('{slug}'))
    it('returns 404 for an invalid slug', async () => {
      // An emoji is not a slug either, but its encoding is valid.
      for (const slug of [
        '%00',
        '..',
        '%2e%2e',
        'DOCS',
        'a'.repeat(200),
        '%ff',
        'docs%00',
        '%F0%9F%90%B6',
      ]) {
        const [method = '', path = ''] = operation.route.split(' ')
        const { query = '', ...options } = calls[operation.operationId] ?? {}
        const answer = await owner.ask(pathOf(path, slug) + query, { method, ...options })
        expect(answer.status, `${slug} ${answer.text}`).toBe(404)
      }
    })

  if (operation.body)
    it('requires a body of strict JSON, with its schema and size', async () => {
      const json = { type: 'application/json' }
      const cases: [string, PersonAsk][] = [
        ['malformed_json', { body: '{', ...json }],
        ['invalid_body', { body: '[]', ...json }],
        ['invalid_body', { body: '5', ...json }],
        ['unsupported_media_type', { body: '{}', type: 'text/plain' }],
        ['unsupported_content_encoding', { body: '{}', headers: { 'content-encoding': 'gzip' } }],
        [
          'body_too_large',
          { body: Buffer.alloc((operation.maxBodyBytes ?? 65536) + 1, 32), ...json },
        ],
      ]
      for (const [code, options] of cases) {
        expect((await call(operation, owner, options)).json, code).toMatchObject({ code })
      }
    })

  if (operation.upload)
    it('requires a body of its types', async () => {
      const type = { body: content, type: 'application/json' }
      expect((await call(operation, owner, type)).json).toMatchObject({
        code: 'unsupported_media_type',
      })
      const headers = { 'content-encoding': 'gzip' }
      expect((await call(operation, owner, { headers })).json).toMatchObject({
        code: 'unsupported_content_encoding',
      })
      const long = { headers: { 'content-length': `${300 * 1024 * 1024}`, expect: '100-continue' } }
      expect((await call(operation, owner, { ...long, body: undefined })).json).toMatchObject({
        code: 'body_too_large',
      })
    })
})

const insertUploads = rowInserter<PublishingTables>()('uploads')

/** As if this much had been uploaded. */
async function fillUp(projectId: string): Promise<void> {
  const rows = openPublishingRows(publishing.store.place)
  const fillUpTransaction = each(async (session, size: number) => {
    const upload = { project_id: projectId, hash, archive: 'x', size, uploaded_at: 1e15 }
    await insertUploads(session, [upload])
  })
  await rows.database.write(fillUpTransaction, 1e12)
  await rows.close()
}

/** Requests for the errors that the tables above do not cover. */
const refusals: [string, string, () => Promise<unknown>][] = [
  ['listProjects', 'invalid_parameter', () => owner.ask('/projects?limit=x')],
  ['searchProjects', 'invalid_parameter', () => owner.ask('/search')],
  ['createProject', 'slug_taken', () => owner.ask('/projects', { body: { name: 'docs' } })],
  [
    'createProject',
    'limit_reached',
    async () => {
      for (const name of ['second', 'third']) await owner.ask('/projects', { body: { name } })
      return await owner.ask('/projects', { body: { name: 'fourth' } })
    },
  ],
  [
    'changeProject',
    'slug_taken',
    () => owner.ask('/projects/second', { method: 'PATCH', body: { slug: 'docs' } }),
  ],
  [
    'changeProject',
    'limit_reached',
    async () => {
      const rename = (slug: string) =>
        owner.ask('/projects/second', { method: 'PATCH', body: { slug } })
      for (let i = 0; i < 20; i++) await rename(`second-${i}`)
      return await rename('one-too-many')
    },
  ],
  [
    'deleteProject',
    'invalid_parameter',
    () => owner.ask('/projects/docs?name=Docs', { method: 'DELETE' }),
  ],
  ['listDeploys', 'invalid_parameter', () => owner.ask('/projects/docs/deploys?before=0')],
  [
    'listDeploys',
    'invalid_parameter',
    () => owner.ask('/projects/docs/deploys?before=9223372036854775808'),
  ],
  ['getDeploy', 'invalid_parameter', () => owner.ask('/projects/docs/deploys/1?wait=26')],
  ['getDeploy', 'deploy_not_found', () => owner.ask('/projects/docs/deploys/99')],
  ['getDeploy', 'deploy_not_found', () => owner.ask('/projects/docs/deploys/01')],
  [
    'deployArchive',
    'invalid_parameter',
    () =>
      owner.ask(`/projects/docs/archives?message=${'x'.repeat(201)}`, {
        body: archiveOf({ 'index.html': 'x' }),
        type: 'application/gzip',
      }),
  ],
  ['getDeploy', 'deploy_not_found', () => owner.ask(`/projects/docs/deploys/${'9'.repeat(30)}`)],
  ['getDeployReport', 'deploy_not_found', () => owner.ask('/projects/docs/deploys/99/report')],
  [
    'uploadFile',
    'invalid_parameter',
    () =>
      owner.ask(`/projects/docs/files/${hash}`, {
        method: 'PUT',
        body: Buffer.from('other'),
        type: 'application/octet-stream',
      }),
  ],
  [
    'createDeploy',
    'files_missing',
    () =>
      owner.ask('/projects/docs/deploys', {
        body: { files: [{ path: 'a', hash: 'a'.repeat(64) }] },
      }),
  ],
  [
    'createDeploy',
    'limit_reached',
    () => {
      const files = Array.from({ length: 5001 }, (_, i) => ({ path: `${i}.html`, hash }))
      return owner.ask('/projects/docs/deploys', { body: { files } })
    },
  ],
  [
    'deployArchive',
    'invalid_archive',
    () => owner.ask('/projects/docs/archives', { body: content, type: 'application/zip' }),
  ],
  [
    'restoreDeploy',
    'deploy_not_found',
    () => owner.ask('/projects/docs/deploys/99/restore', { method: 'POST' }),
  ],
  [
    'restoreDeploy',
    'conflict',
    async () => {
      const failed = await owner.deploy('docs', archiveOf({ 'notes.txt': 'nothing to show' }))
      return await owner.ask(`/projects/docs/deploys/${failed.number}/restore`, { method: 'POST' })
    },
  ],
  [
    'putPreview',
    'invalid_parameter',
    () => owner.ask('/projects/docs/previews/x', { method: 'PUT', body: {} }),
  ],
  [
    'promotePreview',
    'conflict',
    async () => {
      await owner.ask('/projects/docs/previews/waiting', { method: 'PUT', body: {} })
      return await owner.ask('/projects/docs/previews/waiting/promote', { method: 'POST' })
    },
  ],
  [
    'promotePreview',
    'preview_not_found',
    () => owner.ask('/projects/docs/previews/none/promote', { method: 'POST' }),
  ],
  [
    'endPreview',
    'preview_not_found',
    () => owner.ask('/projects/docs/previews/none', { method: 'DELETE' }),
  ],
  ...(['putPreview', 'createDeploy', 'deployArchive'] as const).map(
    (operationId): (typeof refusals)[number] => [
      operationId,
      'conflict',
      async () => {
        const { operator } = publishing
        await operator.ask('/projects', { body: { name: longSlug, slug: longSlug } })
        const at = `/projects/${longSlug}`
        const body = archiveOf({ 'index.html': content })
        const archive = { body, type: 'application/gzip' }
        if (operationId === 'putPreview')
          return await operator.ask(`${at}/previews/branch`, { method: 'PUT', body: {} })
        const sent = await operator.ask(`${at}/archives?preview=branch`, archive)
        if (operationId === 'deployArchive') return sent
        const upload = { method: 'PUT', body: content, type: 'application/octet-stream' }
        await operator.ask(`${at}/files/${hash}`, upload)
        const files = [{ path: 'index.html', hash }]
        return await operator.ask(`${at}/deploys`, { body: { files, preview: 'branch' } })
      },
    ],
  ),
  [
    'deployArchive',
    'invalid_parameter',
    () => owner.ask('/projects/docs/archives?preview=x', { ...calls.deployArchive }),
  ],
  [
    'uploadFile',
    'limit_reached',
    async () => {
      await fillUp(((await owner.ask('/projects/docs')).json as { id: string }).id)
      const body = Buffer.from('one more')
      const upload = { method: 'PUT', body, type: 'application/octet-stream' }
      return await owner.ask(`/projects/docs/files/${contentHash(body)}`, upload)
    },
  ],
  [
    'deployArchive',
    'limit_reached',
    () => owner.ask('/projects/docs/archives', { ...calls.deployArchive }),
  ],
]

it.each(refusals)('%s returns %s', async (_, code, ask) => {
  expect(await ask()).toMatchObject({ json: { code } })
})

it.each(operations.map(({ operationId }) => operationId))(
  '%s has returned each error that its document declares',
  (operationId) => {
    // Errors that a working server does not return on request, or only with a setting (required-factor.test.ts), of the
    // listener, which knows no operation, and of all operations alike (misspelt-names.test.ts).
    const rare = [
      ...['invalid_request', 'request_timeout', 'uri_too_long', 'headers_too_large'],
      'invalid_parameter',
      'internal_error',
      'unavailable',
      'outcome_unknown',
      'second_factor_missing',
    ]
    const named = publishing.documented.codesOf(operationId).filter((code) => !rare.includes(code))
    const seen = publishing.documented.seen.get(operationId) ?? new Set()
    expect(named.length).toBeGreaterThan(3)
    expect(named.filter((code) => !seen.has(code))).toEqual([])
  },
)

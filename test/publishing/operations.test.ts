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

// What is left of these is in test/management/authorization.test.ts: each caller, and each scope of a token.
describe.each(operations.map((one) => [one.operationId, one] as const))('%s', (_, operation) => {
  const [method = '', path = ''] = operation.route.split(' ')
  const isOfProject = path.includes('{slug}')

  it('refuses callers and requests with the error that its document declares', async () => {
    const evil = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    const subdomain = { origin: 'http://docs.docs.localhost', 'sec-fetch-site': 'same-site' }
    const other = operation.scope === 'deploys:write' ? 'projects:write' : 'deploys:write'
    const refused: [string, PersonAsk, { ask: Person['ask'] }?][] = [
      ['not_signed_in', {}, anonymous],
      ['invalid_token', { token: 'as_pat_x_y' }, anonymous],
      ['insufficient_scope', { token: await owner.token([other]) }],
      [
        'cross_site_request',
        { headers: method === 'GET' ? { 'sec-fetch-site': 'same-site' } : evil },
      ],
      ['cross_site_request', { headers: subdomain }],
      ['not_acceptable', { headers: { accept: 'text/html' } }],
    ]
    if (isOfProject) refused.push(['project_not_found', {}, stranger])
    if (operation.errors.includes('role_required')) refused.push(['role_required', {}, viewer])
    const type = 'application/json'
    const isCoded = { 'content-encoding': 'gzip' }
    if (operation.body) {
      const large = Buffer.alloc((operation.maxBodyBytes ?? 65536) + 1, 32)
      refused.push(
        ['malformed_json', { body: '{', type }],
        ['invalid_body', { body: '[]', type }],
        ['invalid_body', { body: '5', type }],
        ['unsupported_media_type', { body: '{}', type: 'text/plain' }],
        ['unsupported_content_encoding', { body: '{}', headers: isCoded }],
        ['body_too_large', { body: large, type }],
      )
    }
    if (operation.upload) {
      const long = { 'content-length': `${300 * 1024 * 1024}`, expect: '100-continue' }
      refused.push(
        ['unsupported_media_type', { body: content, type }],
        ['unsupported_content_encoding', { headers: isCoded }],
        ['body_too_large', { headers: long, body: undefined }],
      )
    }
    for (const [code, extra, by = owner] of refused) {
      expect((await call(operation, by, extra)).json, code).toMatchObject({ code })
    }
  })

  if (isOfProject)
    it('tells nothing of projects of others, and of none that cannot be', async () => {
      const nothing = await stranger.ask('/projects/no-such')
      expect((await call(operation, stranger)).json).toEqual(nothing.json)
      // An emoji is no slug either, but its encoding is valid.
      const emoji = '%F0%9F%90%B6'
      const slugs = ['%00', '..', '%2e%2e', 'DOCS', 'a'.repeat(200), '%ff', 'docs%00', emoji]
      for (const slug of slugs) {
        const { query = '', ...options } = calls[operation.operationId] ?? {}
        const response = await owner.ask(pathOf(path, slug) + query, { method, ...options })
        expect(response.status, `${slug} ${response.text}`).toBe(404)
      }
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
const at =
  (path: string, method = 'GET', body?: object) =>
  () =>
    owner.ask(path, { method, body })
const sent = (path: string, body: Uint8Array, type = 'application/octet-stream') =>
  owner.ask(path, { method: 'PUT', body, type })
const refusals: [string, string, () => Promise<unknown>][] = [
  ['listProjects', 'invalid_parameter', at('/projects?limit=x')],
  ['searchProjects', 'invalid_parameter', at('/search')],
  ['createProject', 'slug_taken', at('/projects', 'POST', { name: 'docs' })],
  [
    'createProject',
    'limit_reached',
    async () => {
      for (const name of ['second', 'third']) await owner.ask('/projects', { body: { name } })
      return await owner.ask('/projects', { body: { name: 'fourth' } })
    },
  ],
  ['changeProject', 'slug_taken', at('/projects/second', 'PATCH', { slug: 'docs' })],
  [
    'changeProject',
    'limit_reached',
    async () => {
      for (let i = 0; i < 20; i++) await at('/projects/second', 'PATCH', { slug: `second-${i}` })()
      return await at('/projects/second', 'PATCH', { slug: 'one-too-many' })()
    },
  ],
  ['deleteProject', 'invalid_parameter', at('/projects/docs?name=Docs', 'DELETE')],
  ['listDeploys', 'invalid_parameter', at('/projects/docs/deploys?before=0')],
  ['listDeploys', 'invalid_parameter', at('/projects/docs/deploys?before=9223372036854775808')],
  ['getDeploy', 'invalid_parameter', at('/projects/docs/deploys/1?wait=26')],
  ['getDeploy', 'deploy_not_found', at('/projects/docs/deploys/99')],
  ['getDeploy', 'deploy_not_found', at('/projects/docs/deploys/01')],
  ['getDeploy', 'deploy_not_found', at(`/projects/docs/deploys/${'9'.repeat(30)}`)],
  ['getDeployReport', 'deploy_not_found', at('/projects/docs/deploys/99/report')],
  ...[`message=${'x'.repeat(201)}`, 'preview=x'].map((query): (typeof refusals)[number] => [
    'deployArchive',
    'invalid_parameter',
    () => owner.ask(`/projects/docs/archives?${query}`, { ...calls.deployArchive }),
  ]),
  [
    'uploadFile',
    'invalid_parameter',
    () => sent(`/projects/docs/files/${hash}`, Buffer.from('other')),
  ],
  [
    'createDeploy',
    'files_missing',
    at('/projects/docs/deploys', 'POST', { files: [{ path: 'a', hash: 'a'.repeat(64) }] }),
  ],
  [
    'createDeploy',
    'limit_reached',
    at('/projects/docs/deploys', 'POST', {
      files: Array.from({ length: 5001 }, (_, i) => ({ path: `${i}.html`, hash })),
    }),
  ],
  [
    'deployArchive',
    'invalid_archive',
    () => owner.ask('/projects/docs/archives', { body: content, type: 'application/zip' }),
  ],
  ['restoreDeploy', 'deploy_not_found', at('/projects/docs/deploys/99/restore', 'POST')],
  [
    'restoreDeploy',
    'conflict',
    async () => {
      const failed = await owner.deploy('docs', archiveOf({ 'notes.txt': 'nothing to show' }))
      return await at(`/projects/docs/deploys/${failed.number}/restore`, 'POST')()
    },
  ],
  ['putPreview', 'invalid_parameter', at('/projects/docs/previews/x', 'PUT', {})],
  [
    'promotePreview',
    'conflict',
    async () => {
      await at('/projects/docs/previews/waiting', 'PUT', {})()
      return await at('/projects/docs/previews/waiting/promote', 'POST')()
    },
  ],
  ['promotePreview', 'preview_not_found', at('/projects/docs/previews/none/promote', 'POST')],
  ['endPreview', 'preview_not_found', at('/projects/docs/previews/none', 'DELETE')],
  ...(['putPreview', 'createDeploy', 'deployArchive'] as const).map(
    (operationId): (typeof refusals)[number] => [
      operationId,
      'conflict',
      async () => {
        const { operator } = publishing
        await operator.ask('/projects', { body: { name: longSlug, slug: longSlug } })
        const path = `/projects/${longSlug}`
        if (operationId === 'putPreview')
          return await operator.ask(`${path}/previews/branch`, { method: 'PUT', body: {} })
        const archive = { ...calls.deployArchive, body: archiveOf({ 'index.html': content }) }
        const refused = await operator.ask(`${path}/archives?preview=branch`, archive)
        if (operationId === 'deployArchive') return refused
        const upload = { method: 'PUT', body: content, type: 'application/octet-stream' }
        await operator.ask(`${path}/files/${hash}`, upload)
        const files = [{ path: 'index.html', hash }]
        return await operator.ask(`${path}/deploys`, { body: { files, preview: 'branch' } })
      },
    ],
  ),
  [
    'uploadFile',
    'limit_reached',
    async () => {
      await fillUp(((await owner.ask('/projects/docs')).json as { id: string }).id)
      const body = Buffer.from('one more')
      return await sent(`/projects/docs/files/${contentHash(body)}`, body)
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

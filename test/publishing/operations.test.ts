// All operations of publishing, in tables: who may call them, with which token, and each error that their document
// declares. Only on one engine, because the engine does not matter here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '#kit/management/route.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import { deployRoutes } from '#publishing/deploys/routes.ts'
import { previewRoutes } from '#publishing/previews/routes.ts'
import { projectRoutes } from '#publishing/projects/routes.ts'
import { query } from '../query.ts'
import { archiveOf } from './archive-of.ts'
import {
  type Person,
  type PersonAsk,
  type PublishingInTest,
  startPublishing,
} from './publishing-in-test.ts'

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
  await owner.deploy('docs', archiveOf({ 'notes.txt': 'nothing to show' }))
  await owner.put('/projects/docs/previews/waiting', {})
  // As many projects as the plan allows, and slugs as a project may have had.
  for (const slug of ['second', 'third']) await owner.create(slug)
  for (let i = 0; i < 20; i++) await owner.patch('/projects/second', { slug: `second-${i}` })
  await publishing.operator.create(longSlug)
  await publishing.operator.putFile(longSlug, content)
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

/** As if much had been uploaded. */
const fillUp = () =>
  query(
    publishing.store.place,
    'publishing',
    `insert into uploads (project_id, hash, archive, size, uploaded_at)
      select project_id, '${hash}', 'x', 1000000000000, 1000000000000000 from slugs where slug = 'docs'`,
  )

/** A request, such as `PATCH /projects/docs`. */
const at =
  (route: string, body?: object, by = () => owner) =>
  () => {
    const [method = '', path = ''] = route.split(' ')
    return by().ask(path, { method, body })
  }
const operator = () => publishing.operator
const upload = (query: string, bytes: Uint8Array, slug = 'docs', by = () => owner) => {
  return () => by().upload(slug, bytes, query)
}
const archive = archiveOf({ 'index.html': content })
const files = [{ path: 'index.html', hash }]
const unknown = [{ path: 'a', hash: 'a'.repeat(64) }]
const tooMany = Array.from({ length: 5001 }, (_, i) => ({ path: `${i}.html`, hash }))
const ofLong = `/projects/${longSlug}`
/** Each error that the tests above do not cover. */
const refusals: [operation: string, code: string, ask: () => Promise<unknown>][] = [
  ['listProjects', 'invalid_parameter', at('GET /projects?limit=x')],
  ['searchProjects', 'invalid_parameter', at('GET /search')],
  ['createProject', 'slug_taken', at('POST /projects', { name: 'docs' }, () => stranger)],
  ['createProject', 'limit_reached', at('POST /projects', { name: 'fourth' })],
  ['changeProject', 'slug_taken', at('PATCH /projects/second', { slug: 'docs' })],
  ['changeProject', 'limit_reached', at('PATCH /projects/second', { slug: 'one-too-many' })],
  ['deleteProject', 'invalid_parameter', at('DELETE /projects/docs?name=Docs')],
  ['listDeploys', 'invalid_parameter', at('GET /projects/docs/deploys?before=0')],
  ['listDeploys', 'invalid_parameter', at('GET /projects/docs/deploys?before=9223372036854775808')],
  ['getDeploy', 'invalid_parameter', at('GET /projects/docs/deploys/1?wait=26')],
  ...['99', '01', '9'.repeat(30)].map((number): (typeof refusals)[number] => [
    'getDeploy',
    'deploy_not_found',
    at(`GET /projects/docs/deploys/${number}`),
  ]),
  ['getDeployReport', 'deploy_not_found', at('GET /projects/docs/deploys/99/report')],
  ['deployArchive', 'invalid_parameter', upload(`?message=${'x'.repeat(201)}`, archive)],
  ['deployArchive', 'invalid_parameter', upload('?preview=x', archive)],
  ['deployArchive', 'invalid_archive', upload('', content)],
  ['deployArchive', 'conflict', upload('?preview=branch', archive, longSlug, operator)],
  ['uploadFile', 'invalid_parameter', () => owner.putFile('docs', Buffer.from('other'), hash)],
  ['createDeploy', 'files_missing', at('POST /projects/docs/deploys', { files: unknown })],
  ['createDeploy', 'limit_reached', at('POST /projects/docs/deploys', { files: tooMany })],
  [
    'createDeploy',
    'conflict',
    at(`POST ${ofLong}/deploys`, { files, preview: 'branch' }, operator),
  ],
  ['restoreDeploy', 'deploy_not_found', at('POST /projects/docs/deploys/99/restore')],
  ['restoreDeploy', 'conflict', at('POST /projects/docs/deploys/4/restore')],
  ['putPreview', 'invalid_parameter', at('PUT /projects/docs/previews/x', {})],
  ['putPreview', 'conflict', at(`PUT ${ofLong}/previews/branch`, {}, operator)],
  ['promotePreview', 'conflict', at('POST /projects/docs/previews/waiting/promote')],
  ['promotePreview', 'preview_not_found', at('POST /projects/docs/previews/none/promote')],
  ['endPreview', 'preview_not_found', at('DELETE /projects/docs/previews/none')],
  [
    'uploadFile',
    'limit_reached',
    () => fillUp().then(() => owner.putFile('docs', Buffer.from('one more'))),
  ],
  ['deployArchive', 'limit_reached', upload('', archive)],
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

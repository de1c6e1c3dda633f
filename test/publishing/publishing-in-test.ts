// The whole program with an operator, members, their projects and visitors of their sites. Every response is compared
// with the API's OpenAPI document.
import type { Account } from '#accounts/people/schema.ts'
import type { TokenScope } from '#kit/management/caller.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import type { ReceivedInvitations } from '#publishing/members/routes.ts'
import type { Project } from '#publishing/projects/schema.ts'
import type { Engine } from '../database.ts'
import { eventually } from '../eventually.ts'
import {
  type Answer,
  type AskOptions,
  ask,
  type RunningStore,
  type StartOptions,
  startStore,
} from '../running-store.ts'
import { type DocumentedAnswers, documentedAnswers } from './documented-answers.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const password = 'a cup of cold coffee'

export type Files = Record<string, string | Uint8Array>

type Verb = 'post' | 'put' | 'patch' | 'delete'

export interface PersonAsk extends AskOptions {
  /** An access token instead of the cookie. */
  token?: string
  /** Media type of a body that is not JSON. */
  type?: string
}

/** A signed-in account. `post`, `put`, `patch` and `delete` send a request with that method, and JSON. */
export interface Person extends Record<Verb, (path: string, body?: unknown) => Promise<Answer>> {
  account: Account
  ask(path: string, options?: PersonAsk): Promise<Answer>
  /** The body of a response 200 to GET. Throws for every other status. */
  read<Body>(path: string): Promise<Body>
  /** The Cookie header of its session. */
  cookie(): string
  /** Signs in again, after the session has expired. */
  signIn(): Promise<void>
  /** An access token, with all scopes by default. */
  token(scopes?: TokenScope[]): Promise<string>
  /** A deploy token of a project. */
  deployToken(slug: string): Promise<string>
  create(slug: string, name?: string): Promise<Project>
  /** Creates a project and deploys these files. */
  publish(slug: string, files: Files, name?: string): Promise<Deploy>
  /** Invites another account to a project, which accepts. */
  addMember(slug: string, member: Person, role: 'editor' | 'viewer'): Promise<void>
  /** What it is invited to and offered. */
  received(): Promise<ReceivedInvitations['items']>
  /** Accepts or declines an invitation or an offer. */
  answer(id: string | undefined, how: 'accept' | 'decline'): Promise<Answer>
  /** Deploys an archive and waits for the result. */
  deploy(slug: string, bytes: Uint8Array, query?: string): Promise<Deploy>
  /** The response to the upload of an archive. */
  upload(slug: string, bytes: Uint8Array, query?: string): Promise<Answer>
  /** The first page of a project's deploys. */
  deploys(slug: string): Promise<Deploy[]>
  /** What the account did and what was done to it, newest first. */
  actions(): Promise<string[]>
  /** Those of these hashes whose content is still to be uploaded. */
  missing(slug: string, hashes: string[]): Promise<string[]>
  /** Uploads the content of a file, by default under its own hash. */
  putFile(slug: string, body: Uint8Array, hash?: string): Promise<Answer>
  /** Deploys by files: asks for missing ones, sends them, deploys, waits for the result. */
  deployFolder(slug: string, files: Files): Promise<Deploy & { sent: number }>
  /** Waits for the result of a deploy. */
  finished(slug: string, number: number): Promise<Deploy>
}

export interface People {
  documented: DocumentedAnswers
  operator: Person
  /** A new member, by default on the free plan. */
  member(plan?: 'free' | 'paid'): Promise<Person>
  anonymous(path: string, options?: PersonAsk): Promise<Answer>
  /** The response to a visitor of a site. */
  visit(slug: string, path?: string, options?: AskOptions): Promise<Answer>
}

export interface PublishingInTest extends People {
  store: RunningStore
  /** Advances the clock. */
  pass(ms: number): void
  release(): Promise<void>
}

let people = 0

/** Starts the program in this process. */
export async function startPublishing(
  engine: Engine,
  options: StartOptions = {},
): Promise<PublishingInTest> {
  const store = await startStore(engine, options)
  const people = await peopleAt(store.running.config.httpPort, store.setUpToken ?? '')
  return {
    ...people,
    store,
    pass(ms) {
      store.clock.now += ms
    },
    release: () => store.release(),
  }
}

/** Accounts at a program on this port, which has none yet. */
export async function peopleAt(port: number, setUpToken: string): Promise<People> {
  const dashboardUrl = new URL(`http://localhost:${port}`)
  const base = new URL('/api', dashboardUrl)
  const document = await ask(port, base, '', '/openapi.json', { key: null })
  const documented = documentedAnswers(document.json as object)

  async function send(path: string, options: PersonAsk = {}): Promise<Answer> {
    const { headers, token, type, ...rest } = options
    const sent = {
      origin: dashboardUrl.origin,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...headers,
    }
    const response = await ask(port, base, '', path, { key: null, headers: sent, ...rest })
    const method = rest.method ?? (rest.body === undefined ? 'GET' : 'POST')
    documented.check(method, path, response)
    return response
  }

  async function person(path: string, body: { email: string; token: string }): Promise<Person> {
    const made = await send(path, { body: { ...body, name: 'Somebody', password } })
    if (made.status !== 201) throw new Error(`no account: ${made.text}`)
    let cookie = cookieOf(made)
    const asks = (path: string, options: PersonAsk = {}): Promise<Answer> =>
      send(path, options.token === undefined ? withCookie(options, cookie) : options)

    const sends = (method: string) => (path: string, body?: unknown) => asks(path, { method, body })
    const post = sends('POST')
    const read: Person['read'] = async <Body>(path: string) =>
      expectJson(await asks(path), 200) as Body
    const upload: Person['upload'] = (slug, body, query = '') =>
      asks(`/projects/${slug}/archives${query}`, { body, type: 'application/octet-stream' })
    const finished: Person['finished'] = (slug, number) =>
      eventually(
        () => read<Deploy>(`/projects/${slug}/deploys/${number}?wait=25`),
        ({ state }) => !['uploaded', 'building'].includes(state),
        100_000,
      )

    const missing: Person['missing'] = async (slug, hashes) => {
      const found = await post(`/projects/${slug}/files/missing`, { hashes })
      return (expectJson(found, 200) as { missing: string[] }).missing
    }
    const putFile: Person['putFile'] = (slug, body, hash = contentHash(body)) => {
      const upload = { method: 'PUT', body, type: 'application/octet-stream' }
      return asks(`/projects/${slug}/files/${hash}`, upload)
    }

    const self: Person = {
      account: made.json as Account,
      ask: asks,
      ...{ post, put: sends('PUT'), patch: sends('PATCH'), delete: sends('DELETE') },
      ...{ read, upload, finished, missing },
      deploys: async (slug) =>
        (await read<{ items: Deploy[] }>(`/projects/${slug}/deploys?limit=100`)).items,
      actions: async () =>
        (await read<{ items: { action: string }[] }>('/account/audit-log')).items.map(
          ({ action }) => action,
        ),
      cookie: () => cookie,
      async signIn() {
        cookie = cookieOf(await send('/session', { body: { email: body.email, password } }))
      },
      async token(scopes) {
        const made = await post('/account/tokens', { label: 'test', scopes })
        return (expectJson(made, 201) as { token: string }).token
      },
      async deployToken(slug) {
        const made = await post(`/projects/${slug}/tokens`, { label: 'CI' })
        return (expectJson(made, 201) as { token: string }).token
      },
      async create(slug, name = slug) {
        return expectJson(await post('/projects', { slug, name }), 201) as Project
      },
      async publish(slug, files, name) {
        await self.create(slug, name)
        return await self.deployFolder(slug, files)
      },
      async addMember(slug, member, role) {
        const { email } = member.account
        const invited = await post(`/projects/${slug}/invitations`, { email, role })
        const { id } = expectJson(invited, 201) as { id: string }
        expectJson(await member.answer(id, 'accept'), 204)
      },
      received: async () => (await read<ReceivedInvitations>('/account/project-invitations')).items,
      answer(id, how) {
        const path = `/account/project-invitations/${id}`
        return how === 'accept' ? post(`${path}/accept`) : sends('DELETE')(path)
      },
      async deploy(slug, body, query = '') {
        const begun = expectJson(await upload(slug, body, query), 201) as Deploy
        return await finished(slug, begun.number)
      },
      putFile,
      async deployFolder(slug, files) {
        const contents = new Map<string, Buffer>()
        const list = Object.entries(files).map(([path, content]) => {
          const bytes = Buffer.from(content as string)
          const hash = contentHash(bytes)
          contents.set(hash, bytes)
          return { path, hash }
        })
        const absent = await missing(slug, [...contents.keys()])
        for (const hash of absent)
          expectJson(await putFile(slug, contents.get(hash) as Buffer, hash), 204)
        const begun = await post(`/projects/${slug}/deploys`, { files: list })
        const { number } = expectJson(begun, 201) as Deploy
        return { ...(await finished(slug, number)), sent: absent.length }
      },
    }
    return self
  }

  const operator = await person('/set-up', { token: setUpToken, email: 'olga@example.com' })

  return {
    documented,
    operator,
    anonymous: send,
    async member(plan = 'free') {
      const email = `member-${++people}@example.com`
      const invited = await operator.ask('/invitations', { body: { email, plan } })
      const { link } = expectJson(invited, 201) as { link: string }
      const token = new URL(link).hash.slice(1)
      return await person('/invitations/accept', { token, email })
    },
    visit: (slug, path = '/', options = {}) => {
      const site = new URL(`http://${slug}.docs.localhost:${port}`)
      return ask(port, site, '', path.slice(1), { key: null, ...options })
    },
  }
}

/** The body of a response with this status. Throws with the response otherwise. */
export function expectJson(response: Answer, status: number): unknown {
  if (response.status !== status) throw new Error(`${response.status} instead: ${response.text}`)
  return response.json
}

function cookieOf({ headers }: Answer): string {
  return headers['set-cookie']?.split(';')[0] ?? ''
}

function withCookie(options: PersonAsk, cookie: string): PersonAsk {
  return { ...options, headers: { cookie, ...options.headers } }
}

// The whole program with an operator, members, their projects and visitors of their sites. Every response is compared
// with the API's OpenAPI document.
import type { Account } from '#accounts/people/schema.ts'
import type { TokenScope } from '#kit/management/caller.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
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

export interface PersonAsk extends AskOptions {
  /** An access token instead of the cookie. */
  token?: string
  /** Media type of a body that is not JSON. */
  type?: string
}

/** A signed-in account. */
export interface Person {
  account: Account
  ask(path: string, options?: PersonAsk): Promise<Answer>
  /** The Cookie header of its session. */
  cookie(): string
  /** Signs in again, after the session has expired. */
  signIn(): Promise<void>
  /** An access token, with all scopes by default. */
  token(scopes?: TokenScope[]): Promise<string>
  /** A deploy token of a project. */
  deployToken(slug: string): Promise<string>
  create(slug: string, name?: string): Promise<Project>
  /** Invites another account to a project, which accepts. */
  addMember(slug: string, member: Person, role: 'editor' | 'viewer'): Promise<void>
  /** Deploys an archive and waits for the result. */
  deploy(slug: string, bytes: Uint8Array, query?: string): Promise<Deploy>
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

    async function finished(slug: string, number: number): Promise<Deploy> {
      const path = `/projects/${slug}/deploys/${number}?wait=25`
      return await eventually(
        async () => expectJson(await asks(path), 200) as Deploy,
        ({ state }) => !['uploaded', 'building'].includes(state),
        100_000,
      )
    }

    const putFile: Person['putFile'] = (slug, body, hash = contentHash(body)) => {
      const upload = { method: 'PUT', body, type: 'application/octet-stream' }
      return asks(`/projects/${slug}/files/${hash}`, upload)
    }

    return {
      account: made.json as Account,
      ask: asks,
      finished,
      cookie: () => cookie,
      async signIn() {
        cookie = cookieOf(await send('/session', { body: { email: body.email, password } }))
      },
      async token(scopes) {
        const body = { label: 'test', ...(scopes ? { scopes } : {}) }
        return (expectJson(await asks('/account/tokens', { body }), 201) as { token: string }).token
      },
      async deployToken(slug) {
        const made = await asks(`/projects/${slug}/tokens`, { body: { label: 'CI' } })
        return (expectJson(made, 201) as { token: string }).token
      },
      async create(slug, name = slug) {
        return expectJson(await asks('/projects', { body: { slug, name } }), 201) as Project
      },
      async addMember(slug, member, role) {
        const body = { email: member.account.email, role }
        const invited = await asks(`/projects/${slug}/invitations`, { body })
        const { id } = expectJson(invited, 201) as { id: string }
        const path = `/account/project-invitations/${id}/accept`
        expectJson(await member.ask(path, { method: 'POST' }), 204)
      },
      async deploy(slug, body, query = '') {
        const upload = { method: 'POST', body, type: 'application/octet-stream' }
        const begun = await asks(`/projects/${slug}/archives${query}`, upload)
        return await finished(slug, (expectJson(begun, 201) as Deploy).number)
      },
      putFile,
      async deployFolder(slug, files) {
        const entries = Object.entries(files).map(([path, content]) => ({
          path,
          bytes: Buffer.from(content as string),
        }))
        const hashed = entries.map((entry) => ({ ...entry, hash: contentHash(entry.bytes) }))
        const hashes = hashed.map(({ hash }) => hash)
        const found = await asks(`/projects/${slug}/files/missing`, { body: { hashes } })
        const { missing } = expectJson(found, 200) as { missing: string[] }
        for (const hash of missing) {
          const bytes = hashed.find((file) => file.hash === hash)?.bytes ?? Buffer.alloc(0)
          expectJson(await putFile(slug, bytes, hash), 204)
        }
        const body = { files: hashed.map(({ hash, path }) => ({ path, hash })) }
        const begun = expectJson(await asks(`/projects/${slug}/deploys`, { body }), 201) as Deploy
        return { ...(await finished(slug, begun.number)), sent: missing.length }
      },
    }
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

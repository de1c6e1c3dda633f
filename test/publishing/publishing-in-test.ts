// The whole program with an operator, members, their projects and visitors of their sites. Every response is compared
// with the API's OpenAPI document.
import type { Account } from '#accounts/people/schema.ts'
import type { TokenScope } from '#kit/caller.ts'
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
  type StartOptions,
  startStore,
} from '../running-store.ts'
import { documentedAnswers } from './documented-answers.ts'

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

export type PublishingInTest = Awaited<ReturnType<typeof startPublishing>>
export type People = Awaited<ReturnType<typeof peopleAt>>
/** A signed-in account. */
export type Person = People['operator']
/** Who can accept an invitation. */
interface Invited {
  account: Account
  answer(id: string, how: 'accept'): Promise<Answer>
}

let people = 0

/** Starts the program in this process. */
export async function startPublishing(engine: Engine, options: StartOptions = {}) {
  const store = await startStore(engine, options)
  const people = await peopleAt(store.running.config.httpPort, store.setUpToken ?? '')
  return {
    ...people,
    store,
    /** Advances the clock. */
    pass(ms: number) {
      store.clock.now += ms
    },
    release: () => store.release(),
  }
}

/** Accounts at a program on this port, which has none yet. */
export async function peopleAt(port: number, setUpToken: string) {
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

  async function person(path: string, body: { email: string; token: string }) {
    const made = await send(path, { body: { ...body, name: 'Somebody', password } })
    if (made.status !== 201) throw new Error(`no account: ${made.text}`)
    let cookie = cookieOf(made)
    const ask = (path: string, options: PersonAsk = {}): Promise<Answer> =>
      send(path, options.token === undefined ? withCookie(options, cookie) : options)

    /** Sends a request with a method, and JSON. */
    const sends = (method: string) => (path: string, body?: unknown) => ask(path, { method, body })
    const post = sends('POST')
    /** The body of a response 200 to GET. Throws for every other status. */
    const read = async <Body>(path: string) => expectJson(await ask(path), 200) as Body
    /** The response to the upload of an archive. */
    const upload = (slug: string, body: Uint8Array, query = '') =>
      ask(`/projects/${slug}/archives${query}`, { body, type: 'application/octet-stream' })
    /** Waits for the result of a deploy. */
    const finished = (slug: string, number: number): Promise<Deploy> =>
      eventually(
        () => read<Deploy>(`/projects/${slug}/deploys/${number}?wait=25`),
        ({ state }) => !['uploaded', 'building'].includes(state),
        100_000,
      )

    /** Those of these hashes whose content is still to be uploaded. */
    async function missing(slug: string, hashes: string[]): Promise<string[]> {
      const found = await post(`/projects/${slug}/files/missing`, { hashes })
      return (expectJson(found, 200) as { missing: string[] }).missing
    }
    /** Uploads the content of a file, by default under its own hash. */
    function putFile(slug: string, body: Uint8Array, hash = contentHash(body)): Promise<Answer> {
      const upload = { method: 'PUT', body, type: 'application/octet-stream' }
      return ask(`/projects/${slug}/files/${hash}`, upload)
    }
    async function create(slug: string, name = slug): Promise<Project> {
      return expectJson(await post('/projects', { slug, name }), 201) as Project
    }
    /** Deploys by files: asks for missing ones, sends them, deploys, waits for the result. */
    async function deployFolder(slug: string, files: Files): Promise<Deploy & { sent: number }> {
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
    }
    const tokenOf = (made: Answer) => (expectJson(made, 201) as { token: string }).token

    return {
      account: made.json as Account,
      ...{ ask, post, put: sends('PUT'), patch: sends('PATCH'), delete: sends('DELETE') },
      ...{ read, upload, finished, missing, putFile, create, deployFolder },
      /** The first page of a project's deploys. */
      deploys: async (slug: string) =>
        (await read<{ items: Deploy[] }>(`/projects/${slug}/deploys?limit=100`)).items,
      /** What the account did and what was done to it, newest first. */
      actions: async () =>
        (await read<{ items: { action: string }[] }>('/account/audit-log')).items.map(
          ({ action }) => action,
        ),
      /** The Cookie header of its session. */
      cookie: () => cookie,
      /** Signs in again, after the session has expired. */
      async signIn() {
        cookie = cookieOf(await send('/session', { body: { email: body.email, password } }))
      },
      /** An access token, with all scopes by default. */
      token: async (scopes?: TokenScope[]) =>
        tokenOf(await post('/account/tokens', { label: 'test', scopes })),
      /** A deploy token of a project. */
      deployToken: async (slug: string) =>
        tokenOf(await post(`/projects/${slug}/tokens`, { label: 'CI' })),
      /** Creates a project and deploys these files. */
      async publish(slug: string, files: Files, name?: string): Promise<Deploy> {
        await create(slug, name)
        return await deployFolder(slug, files)
      },
      /** Invites another account to a project, which accepts. */
      async addMember(
        slug: string,
        { account: { email }, answer }: Invited,
        role: 'editor' | 'viewer',
      ) {
        const invited = await post(`/projects/${slug}/invitations`, { email, role })
        const { id } = expectJson(invited, 201) as { id: string }
        expectJson(await answer(id, 'accept'), 204)
      },
      /** What it is invited to and offered. */
      received: async () => (await read<ReceivedInvitations>('/account/project-invitations')).items,
      /** Accepts or declines an invitation or an offer. */
      answer(id: string | undefined, how: 'accept' | 'decline') {
        const path = `/account/project-invitations/${id}`
        return how === 'accept' ? post(`${path}/accept`) : sends('DELETE')(path)
      },
      /** Deploys an archive and waits for the result. */
      async deploy(slug: string, body: Uint8Array, query = ''): Promise<Deploy> {
        const begun = expectJson(await upload(slug, body, query), 201) as Deploy
        return await finished(slug, begun.number)
      },
    }
  }

  const operator = await person('/set-up', { token: setUpToken, email: 'olga@example.com' })

  return {
    documented,
    operator,
    anonymous: send,
    /** A new member, by default on the free plan. */
    async member(plan: 'free' | 'paid' = 'free') {
      const email = `member-${++people}@example.com`
      const invited = await operator.ask('/invitations', { body: { email, plan } })
      const { link } = expectJson(invited, 201) as { link: string }
      const token = new URL(link).hash.slice(1)
      return await person('/invitations/accept', { token, email })
    },
    /** The response to a visitor of a site. */
    visit: (slug: string, path = '/', options: AskOptions = {}) => {
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

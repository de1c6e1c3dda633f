// The program for the tests of a describe block, with what most of them need. Each is there once the block has begun.
import { afterAll, beforeAll } from 'vitest'
import type { Visibility } from '#publishing/projects/project-roles.ts'
import type { Project } from '#publishing/projects/schema.ts'
import type { Engine } from '../database.ts'
import { openServedDomains, type ServedDomains } from '../edge/served-domains.ts'
import { type Answer, type AskOptions, ask, type StartOptions } from '../running-store.ts'
import { type Person, type PublishingInTest, startPublishing } from './publishing-in-test.ts'
import { openPublishingRows, type PublishingRows } from './publishing-rows.ts'

export let publishing: PublishingInTest
export let rows: PublishingRows
/** A member on the paid plan. */
export let owner: Person
/** Of the project that `newProject` created last. */
export let slug = ''
/** With `servingDomains`: custom domains, as if they had been verified. */
export let domains: ServedDomains

let projects = 0

/** Starts it before the tests of the block, and stops it after them. */
export function serving(engine: Engine, options: StartOptions = {}): void {
  beforeAll(async () => {
    publishing = await startPublishing(engine, options)
    rows = openPublishingRows(publishing.store.place)
    owner = await publishing.member('paid')
  })
  afterAll(async () => {
    await rows.close()
    await publishing.release()
  })
}

/** With custom domains. */
export function servingDomains(engine: Engine): void {
  serving(engine)
  beforeAll(async () => {
    domains = await openServedDomains(publishing.store.place)
  })
  afterAll(() => domains.close())
}

export async function newProject(by = owner, name?: string): Promise<Project> {
  slug = `docs-${++projects}`
  return await by.create(slug, name)
}

export const setVisibility = (visibility: Visibility, password?: string, by = owner) =>
  by.put(`/projects/${slug}/visibility`, { visibility, password })

export const visit: PublishingInTest['visit'] = (...request) => publishing.visit(...request)

/** The response to a visitor who enters the password of a site or a preview. */
export const enterPassword = (host: string, password: string, path = '/', more: AskOptions = {}) =>
  visitHost(host, path, {
    method: 'POST',
    body: `${new URLSearchParams({ password })}`,
    ...more,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...more.headers },
  })

/** The response to a visitor of any host of a site. */
export function visitHost(host: string, path = '/', options: AskOptions = {}): Promise<Answer> {
  const { httpPort } = publishing.store.running.config
  const base = new URL(`http://${host}:${httpPort}`)
  return ask(httpPort, base, '', path.slice(1), { key: null, ...options })
}

// The first project: the store's documentation, published by the first start, again after it changed, and never
// against the operators' changes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { siteOriginOf } from '#publishing/projects/site-origin.ts'
import { canTry } from '#renderer/sources/settings.ts'
import { firstProjectSources } from '../../server/first-project-sources.ts'
import { isLong } from '../cases.ts'
import { anyEngine, createTestDatabase, engines, type TestDatabase } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { placeForTest } from '../place-for-test.ts'
import { query } from '../query.ts'
import { type Answer, ask, startStore } from '../running-store.ts'
import { archiveOf } from './archive-of.ts'
import { type Person, type PublishingInTest, startPublishing } from './publishing-in-test.ts'
import { noOrphans, openPublishingRows } from './publishing-rows.ts'

const slug = 'animal-store'
/** The addresses stay the same for every start, as the port does outside of tests. */
const addresses = {
  FIRST_PROJECT: 'on',
  BASE_URL: 'http://api.example.com/v1',
  STAGING_BASE_URL: 'http://staging.example.com/v1',
  DASHBOARD_URL: 'http://localhost:8081',
}

/** As if another version of the program had published it. */
const simulateUpgrade = (place: TestDatabase) =>
  query(
    place,
    'publishing',
    "update projects set built_in = 'of another version' where built_in is not null",
  )

function visitSite(port: number, name: string): Promise<Answer> {
  return ask(port, new URL(`http://${name}.docs.localhost:${port}`), '', '', { key: null })
}

async function states(place: TestDatabase): Promise<string[]> {
  const statement = 'select number, state from deploys order by number'
  const deploys = await query(place, 'publishing', statement)
  return deploys.map(({ number, state }) => `${number} ${state}`)
}

describe.each(anyEngine)('the first project on %s', (engine) => {
  let place: TestDatabase
  let publishing: PublishingInTest
  let operator: Person

  beforeAll(async () => {
    place = await createTestDatabase(engine)
    publishing = await startPublishing(engine, { place, env: addresses })
    operator = publishing.operator
  })
  afterAll(async () => {
    await publishing.release()
    await place.release()
  })

  /** Another start of the program on the same database, after its deploy has finished. */
  async function restart(
    use: (visit: (name: string) => Promise<Answer>) => Promise<void>,
  ): Promise<void> {
    const store = await startStore(engine, { place, env: addresses })
    const { config, publishing: started } = store.running
    // A second, awaited run: if it finds nothing to do, the start found nothing either.
    await started.deployFirstProject(
      await firstProjectSources(store.running.store, config, siteOriginOf(config), canTry),
    )
    const visit = (name: string) => visitSite(config.httpPort, name)
    await use(visit).finally(() => store.release())
  }

  const live = async () =>
    (await operator.read<{ liveDeploy: { number: number } | null }>(`/projects/${slug}`)).liveDeploy
  const restOfList = async () => (await operator.ask(`/projects/${slug}/deploys`)).json

  it("is published by the first start, with this store's addresses", async () => {
    await expect.poll(live).toMatchObject({
      ...{ number: 1, state: 'live', kind: 'rendered', source: 'built_in', createdBy: null },
    })
    expect((await operator.ask('/projects')).json).toMatchObject({
      items: [{ slug, name: 'Animal Store', ownerId: null }],
    })
    const front = await publishing.visit(slug)
    expect(front.status).toBe(200)
    expect(front.text).toContain('Animal Store')
    const reference = await publishing.visit(slug, '/reference/')
    expect(reference.status).toBe(200)
    const guide = (await publishing.visit(slug, '/dashboard')).text
    expect(guide).toContain('http://localhost:8081')
    expect(guide).not.toContain('localhost:8080')
    expect(reference.text).toContain('http://api.example.com/v1')
    expect(reference.text).toContain('http://staging.example.com/v1')
    expect(reference.text).not.toContain('localhost:8080')
    expect((await publishing.visit(slug, '/openapi.yaml')).text).toContain(
      'http://api.example.com/v1',
    )
    // It belongs to the operators: a member cannot see it.
    const member = await publishing.member()
    expect((await member.ask(`/projects/${slug}`)).json).toMatchObject({
      code: 'project_not_found',
    })
  })

  if (isLong)
    it('is deployed again when its content has changed, and never against changes of the operators', async () => {
      await restart(async (visit) => {
        expect((await visit(slug)).status).toBe(200)
      })
      expect(await restOfList()).toMatchObject({ items: [{ number: 1 }] })

      await simulateUpgrade(place)
      await restart(async () => {
        await expect.poll(() => states(place)).toEqual(['1 superseded', '2 live'])
      })
      await restart(async () => {})
      expect(await restOfList()).toMatchObject({ items: [{ number: 2 }, { number: 1 }] })

      // Not after another deploy.
      await operator.deploy(slug, archiveOf({ 'index.html': 'our own' }))
      await simulateUpgrade(place)
      await restart(async (visit) => {
        expect((await visit(slug)).text).toBe('our own')
      })
      const items = [{ number: 3 }, { number: 2 }, { number: 1 }]
      expect(await restOfList()).toMatchObject({ items })

      // Again after it was restored, at any slug.
      await operator.post(`/projects/${slug}/deploys/2/restore`)
      await operator.patch(`/projects/${slug}`, { slug: 'handbook' })
      await restart(async (visit) => {
        await expect.poll(async () => (await states(place)).at(-1)).toBe('4 live')
        expect((await visit('handbook')).status).toBe(200)
        expect((await visit(slug)).headers.location).toMatch(/^http:\/\/handbook\./)
      })

      // Not after it was deleted.
      const path = `/projects/${slug}?name=Animal%20Store`
      expect((await operator.delete(path)).status).toBe(204)
      await restart(async (visit) => {
        for (const name of [slug, 'handbook']) expect((await visit(name)).status).toBe(404)
      })
      expect((await operator.ask('/projects')).json).toEqual({ items: [], next: null })
      await expect.poll(() => states(place)).toEqual([])
      const rows = openPublishingRows(place)
      await expect.poll(() => rows.count()).toMatchObject({ files: 0, uploads: 0, deploy_files: 0 })
      expect(await rows.orphans()).toEqual(noOrphans)
      await rows.close()
    })
})

if (isLong)
  describe.each(engines)('a first start on %s', (engine) => {
    it('creates the first project once with two workers that start together', async () => {
      const fresh = await placeForTest(engine)
      const served = await serveForTest(fresh, { WORKERS: '2', ...addresses })
      await expect.poll(() => states(fresh)).toEqual(['1 live'])
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => visitSite(served.port, slug)),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
      expect(await served.end()).toBe(0)
      expect(await states(fresh)).toEqual(['1 live'])
    })
  })

// Owners take turns at the builder: many deploys of one delay those of another by at most two builds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentHash } from '../../server/publishing/deploys/files.ts'
import type { Deploy } from '../../server/publishing/deploys/records/schema.ts'
import { engines } from '../database.ts'
import {
  expectJson,
  type Person,
  type PublishingInTest,
  startPublishing,
} from './publishing-in-test.ts'

const page = `# Title\n\n${'Words and more *words* with `code`.\n\n'.repeat(800)}`
const pages = Array.from({ length: 4 }, (_, i) => `${page}\n${i}`)

describe.each(engines)('the turns of the builder on %s', (engine) => {
  let publishing: PublishingInTest
  beforeAll(async () => {
    publishing = await startPublishing(engine)
    // Each look at the clock is later than the one before: the order of what happens can be read.
    const { clock } = publishing.store
    let { now } = clock
    Object.defineProperty(clock, 'now', { get: () => ++now, set: (to: number) => (now = to) })
  })
  afterAll(() => publishing.release())

  const filesOf = (slug: string): Record<string, string> =>
    Object.fromEntries(pages.map((text, i) => [`page-${i}.md`, `${text}${slug}`]))

  async function prepare(person: Person, slug: string): Promise<string> {
    await person.create(slug)
    await person.deployFolder(slug, filesOf(slug))
    return slug
  }

  /** Deploys the same files again, without waiting. */
  async function begin(person: Person, slug: string): Promise<Deploy> {
    const files = Object.entries(filesOf(slug)).map(([path, text]) => {
      return { path, hash: contentHash(Buffer.from(text)) }
    })
    const body = { files }
    return expectJson(await person.ask(`/projects/${slug}/deploys`, { body }), 201) as Deploy
  }

  it('let another owner wait for at most two builds of one who deploys much', async () => {
    const [busy, other] = [await publishing.member(), await publishing.member()]
    const slugs = [await prepare(busy, 'busy-one'), await prepare(busy, 'busy-two')]
    const slug = await prepare(other, 'other')
    const again = Array.from({ length: 4 }, () => slugs).flat()
    const many = await Promise.all(again.map((each) => begin(busy, each)))
    const own = await begin(other, slug)
    const built = await other.finished(slug, own.number)
    const all = await Promise.all(
      many.map(({ number }, i) => busy.finished(again[i] ?? '', number)),
    )
    const time = (text: string | null) => Date.parse(text ?? '')
    const after = all.filter(({ finishedAt }) => time(finishedAt) > time(own.createdAt))
    const before = after.filter(({ finishedAt }) => time(finishedAt) < time(built.finishedAt))
    // Otherwise nothing was waiting, and nothing is shown.
    expect(after.length).toBeGreaterThan(2)
    expect(before.length).toBeLessThanOrEqual(2)
  })

  it('build every deploy of every owner', async () => {
    const owners = await Promise.all([publishing.member(), publishing.member()])
    const deploys: Promise<Deploy>[] = []
    for (const [i, owner] of owners.entries()) {
      const slug = `owner-${i}`
      await owner.create(slug)
      for (let n = 0; n < 4; n++) {
        deploys.push(owner.deployFolder(slug, { 'index.html': `<title>${slug} ${n}</title>` }))
      }
    }
    const states = (await Promise.all(deploys)).map(({ state }) => state)
    expect(states.filter((state) => state !== 'live' && state !== 'superseded')).toEqual([])
  })
})

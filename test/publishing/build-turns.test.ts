// Owners take turns at the builder: many deploys of one delay those of another by at most two builds.

import { beforeAll, describe, expect, it } from 'vitest'
import { claimDeployTransaction } from '#publishing/deploys/claims.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { expectJson, type Person } from './publishing-in-test.ts'
import { publishing, rows, serving } from './serving.ts'

const page = Buffer.from('<title>page</title>')
const files = [{ path: 'index.html', hash: contentHash(page) }]

describe.each(cases(engines))('the turns of the builder on %s', (engine) => {
  const ownerOf = new Map<string, string>()
  serving(engine)
  // The program builds nothing; the test claims builds as another process does.
  beforeAll(() => publishing.store.running.publishing.stop())

  async function create(person: Person, name: string, slug: string): Promise<string> {
    const { id } = await person.create(slug)
    ownerOf.set(id, name)
    await person.putFile(slug, page)
    return slug
  }

  async function deploy(person: Person, slug: string): Promise<Deploy> {
    return expectJson(await person.post(`/projects/${slug}/deploys`, { files }), 201) as Deploy
  }

  /** Who builds next. */
  async function nextTurn(forOthers = false): Promise<string | undefined> {
    const { now } = publishing.store.clock
    const claim = await rows.database.write(claimDeployTransaction, { now, forOthers })
    return claim && ownerOf.get(claim.project)
  }

  it('let others wait for at most two builds of one who deploys much', async () => {
    const { member } = publishing
    const [busy, one, two] = [await member(), await member(), await member()]
    const slugs = [await create(busy, 'busy', 'busy-one'), await create(busy, 'busy', 'busy-two')]
    const first = await create(one, 'one', 'one')
    const second = await create(two, 'two', 'two')
    for (let n = 0; n < 6; n++) for (const slug of slugs) await deploy(busy, slug)
    expect(await nextTurn()).toBe('busy')
    await deploy(one, first)
    expect([await nextTurn(), await nextTurn()]).toEqual(['one', 'busy'])
    // Who has had a turn waits for all others, and no longer.
    await deploy(one, first)
    await deploy(two, second)
    await deploy(two, second)
    const turns: (string | undefined)[] = []
    for (let n = 0; n < 5; n++) turns.push(await nextTurn())
    expect(turns).toEqual(['two', 'one', 'busy', 'two', 'busy'])
    for (let n = 0; n < 8; n++) expect(await nextTurn()).toBe('busy')
    expect(await nextTurn()).toBeUndefined()
  })

  it('leave the second place of a process to others: a build of any length delays only its owner', async () => {
    const { member } = publishing
    const [busy, one, two] = [await member(), await member(), await member()]
    const slugs = [await create(busy, 'busy', 'long-one'), await create(busy, 'busy', 'long-two')]
    const first = await create(one, 'one', 'short-one')
    const second = await create(two, 'two', 'short-two')
    for (const slug of [...slugs, ...slugs]) await deploy(busy, slug)
    expect(await nextTurn()).toBe('busy')
    // It lasts as long as it likes.
    expect(await nextTurn(true)).toBeUndefined()
    await deploy(one, first)
    await deploy(two, second)
    expect([await nextTurn(true), await nextTurn(true)]).toEqual(['one', 'two'])
    expect(await nextTurn(true)).toBeUndefined()
    // The lease of a process that died is no build under way.
    publishing.pass(11_000)
    expect(await nextTurn(true)).toBeDefined()
    while ((await nextTurn()) !== undefined);
  })
})

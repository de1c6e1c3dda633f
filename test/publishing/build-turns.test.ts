// Owners take turns at the builder: many deploys of one delay those of another by at most two builds.

import { beforeAll, describe, expect, it } from 'vitest'
import { claimDeployTransaction } from '#publishing/deploys/claims.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { expectJson } from './publishing-in-test.ts'
import { publishing, rows, serving } from './serving.ts'

const page = Buffer.from('<title>page</title>')
const files = [{ path: 'index.html', hash: contentHash(page) }]

describe.each(cases(engines))('the turns of the builder on %s', (engine) => {
  const ownerOf = new Map<string, string>()
  serving(engine)
  // The program builds nothing; the test claims builds as another process does.
  beforeAll(() => publishing.store.running.publishing.stop())

  /** A member with these projects. Gives what deploys them. */
  async function member(name: string, ...slugs: string[]): Promise<() => Promise<void>> {
    const person = await publishing.member()
    for (const slug of slugs) {
      ownerOf.set((await person.create(slug)).id, name)
      await person.putFile(slug, page)
    }
    return async () => {
      for (const slug of slugs)
        expectJson(await person.post(`/projects/${slug}/deploys`, { files }), 201)
    }
  }

  /** Who builds next. */
  async function nextTurn(forOthers = false): Promise<string | undefined> {
    const { now } = publishing.store.clock
    const claim = await rows.database.write(claimDeployTransaction, { now, forOthers })
    return claim && ownerOf.get(claim.project)
  }

  it('let others wait for at most two builds of one who deploys much', async () => {
    const deployBusy = await member('busy', 'busy-one', 'busy-two')
    const [deployOne, deployTwo] = [await member('one', 'one'), await member('two', 'two')]
    for (let n = 0; n < 6; n++) await deployBusy()
    expect(await nextTurn()).toBe('busy')
    await deployOne()
    expect([await nextTurn(), await nextTurn()]).toEqual(['one', 'busy'])
    // Who has had a turn waits for all others, and no longer.
    await deployOne()
    await deployTwo()
    await deployTwo()
    const turns: (string | undefined)[] = []
    for (let n = 0; n < 5; n++) turns.push(await nextTurn())
    expect(turns).toEqual(['two', 'one', 'busy', 'two', 'busy'])
    for (let n = 0; n < 8; n++) expect(await nextTurn()).toBe('busy')
    expect(await nextTurn()).toBeUndefined()
  })

  it('leave the second place of a process to others: a build of any length delays only its owner', async () => {
    const deployBusy = await member('busy', 'long-one', 'long-two')
    const deployOne = await member('one', 'short-one')
    const deployTwo = await member('two', 'short-two')
    for (let n = 0; n < 2; n++) await deployBusy()
    expect(await nextTurn()).toBe('busy')
    // It lasts as long as it likes.
    expect(await nextTurn(true)).toBeUndefined()
    await deployOne()
    await deployTwo()
    expect([await nextTurn(true), await nextTurn(true)]).toEqual(['one', 'two'])
    expect(await nextTurn(true)).toBeUndefined()
    // The lease of a process that died is no build under way.
    publishing.pass(11_000)
    expect(await nextTurn(true)).toBeDefined()
    while ((await nextTurn()) !== undefined);
  })
})

// Quotas of files and bytes for each account, over all of its projects, and the floor of free disk space.

import { describe, expect, it } from 'vitest'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Storage } from '#publishing/projects/schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { query } from '../query.ts'
import { refusal } from '../running-store.ts'
import { type Person, startPublishing } from './publishing-in-test.ts'
import { publishing, serving } from './serving.ts'

const megabyte = 1024 * 1024
const site = (text: string) => ({ 'index.html': `<title>${text}</title>` })

describe.each(cases(engines))('stored space on %s', (engine) => {
  serving(engine)

  const storageOf = async (person: Person) => await person.read<Storage>('/storage')
  const resize = (project: string, number: number, bytes: number, files: number) =>
    query(
      publishing.store.place,
      'publishing',
      `update deploys set site_bytes = ${bytes}, site_files = ${files}
        where project_id = '${project}' and number = ${number}`,
    )
  /** Deploys a page whose content was uploaded before. */
  const redeploy = (person: Person, slug: string, text: string) => {
    const hash = contentHash(Buffer.from(site(text)['index.html']))
    return person.post(`/projects/${slug}/deploys`, { files: [{ path: 'index.html', hash }] })
  }
  const statesOf = async (person: Person, slug: string) =>
    (await person.deploys(slug)).map(({ number, state }) => `${number} ${state}`)

  it('counts sources, sites and uploads of all projects of an account', async () => {
    const [member, other] = [await publishing.member(), await publishing.member('paid')]
    expect(await storageOf(member)).toEqual({
      ...{ files: 0, bytes: 0, maxFiles: 100_000, maxBytes: 1_000_000_000 },
      uploads: { files: 0, bytes: 0 },
    })
    expect(await storageOf(other)).toMatchObject({ maxBytes: 20_000_000_000 })
    await member.create('counted-one')
    await member.create('counted-two')
    await member.deployFolder('counted-one', site('1'))
    await member.putFile('counted-two', Buffer.from('one file'))
    const { bytes, files, uploads } = await storageOf(member)
    const size = site('1')['index.html'].length
    expect({ bytes, files }).toEqual({ bytes: 2 * size + 8, files: 3 })
    expect(uploads).toEqual({ bytes: 8, files: 1 })
  })

  it('makes room by removing the oldest superseded deploys, and refuses what does not fit', async () => {
    const member = await publishing.member()
    const first = await member.create('full-one')
    await member.create('full-two')
    for (const n of [1, 2, 3]) await member.deployFolder('full-one', site(`one ${n}`))
    await member.deployFolder('full-two', site('two'))
    for (const n of [1, 2, 3]) await resize(first.id, n, 400 * megabyte, 1)
    // 1,258 MB of 1,000: the first deploy goes, of another project than the one that is deployed.
    await member.deployFolder('full-two', site('two again'))
    expect(await statesOf(member, 'full-one')).toEqual(['3 live', '2 superseded'])
    // What is live is never removed.
    await resize(first.id, 3, 1100 * megabyte, 1)
    const refused = await redeploy(member, 'full-two', 'two')
    expect(refused).toMatchObject(refusal(409, 'limit_reached'))
    expect(refused.json).toMatchObject({ message: expect.stringContaining('1000 MB') })
    expect(await statesOf(member, 'full-one')).toEqual(['3 live', '2 superseded'])
    // Others are not affected.
    const other = await publishing.member()
    await other.create('beside')
    expect(await other.deployFolder('beside', site('beside'))).toMatchObject({ state: 'live' })
    // The sweep removes what exceeds the quota, after a plan was lowered or a site was large.
    await publishing.store.running.publishing.maintain()
    expect(await statesOf(member, 'full-one')).toEqual(['3 live'])
    expect(await statesOf(member, 'full-two')).toEqual(['2 live'])
  })

  it('bounds the number of files like their bytes', async () => {
    const member = await publishing.member()
    const { id: project } = await member.create('many-files')
    for (const n of [1, 2]) await member.deployFolder('many-files', site(`${n}`))
    for (const n of [1, 2]) await resize(project, n, 1, 60_000)
    expect(await storageOf(member)).toMatchObject({ files: 120_002, maxFiles: 100_000 })
    await member.deployFolder('many-files', site('3'))
    expect(await statesOf(member, 'many-files')).toEqual(['3 live', '2 superseded'])
    await resize(project, 3, 1, 120_000)
    const refused = await redeploy(member, 'many-files', '3')
    expect(refused).toMatchObject(refusal(409, 'limit_reached'))
    expect(refused.json).toMatchObject({ message: expect.stringContaining('100000 files') })
    await publishing.store.running.publishing.maintain()
    expect(await statesOf(member, 'many-files')).toEqual(['3 live'])
  })

  it('limits uploads that no deploy uses, over all projects of an account', async () => {
    const member = await publishing.member()
    await member.create('uploads-one')
    await member.create('uploads-two')
    const large = (n: number) => Buffer.alloc(25 * megabyte, n)
    for (const n of [1, 2, 3])
      expect((await member.putFile('uploads-one', large(n))).status).toBe(204)
    expect((await member.putFile('uploads-two', large(4))).status).toBe(204)
    const refused = await member.putFile('uploads-two', Buffer.from('one byte too many'))
    expect(refused).toMatchObject(refusal(409, 'limit_reached'))
    // Existing content does not count, and a deploy may have half of that.
    expect((await member.putFile('uploads-one', large(1))).status).toBe(204)
    const files = [1, 2, 3].map((n) => ({ path: `${n}.bin`, hash: contentHash(large(n)) }))
    const deploy = await member.post('/projects/uploads-one/deploys', { files })
    expect(deploy.json).toMatchObject({
      code: 'limit_reached',
      message: expect.stringContaining('52428800 bytes'),
    })
    const other = await publishing.member()
    await other.create('uploads-other')
    expect((await other.putFile('uploads-other', Buffer.from('fits'))).status).toBe(204)
    publishing.pass(24 * 3_600_000 + 1)
    await publishing.store.running.publishing.maintain()
    await member.signIn()
    expect((await storageOf(member)).uploads).toEqual({ files: 0, bytes: 0 })
  })

  it('is kept free for the store: deploys are refused below the floor', async () => {
    const low = await startPublishing(engine, { env: { MIN_FREE_DISK: '100000000' } })
    try {
      const member = await low.member()
      await member.create('low')
      const busy = { status: 503, headers: { 'retry-after': '60' }, json: { code: 'unavailable' } }
      expect(await member.putFile('low', Buffer.from('file'))).toMatchObject(busy)
      expect(await member.upload('low', Buffer.from('zip'))).toMatchObject(busy)
      expect(await redeploy(member, 'low', 'page')).toMatchObject(busy)
      const pet = { name: 'Rex', categoryId: 1 }
      expect((await low.store.ask('/pets', { body: pet })).status).toBe(201)
    } finally {
      await low.release()
    }
  })
})

// One owner starts everything at once: uploads, streams, deploys, domain checks and certificate orders. Another waits at
// most two turns for each, counted in what is served before.

import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { domainLeases } from '#domains/scheduling/domain-worker.ts'
import type { Database } from '#kit/database/database.ts'
import { prepare } from '#publishing/database/tables.ts'
import { claimDeployTransaction } from '#publishing/deploys/claims.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Project } from '#publishing/projects/schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type EventReader, followByHttp1 } from '../domain-events/event-reader.ts'
import { type DomainsInTest, type Owner, startDomains } from '../domains/domains-in-test.ts'
import { query } from '../query.ts'
import { expectJson, minute } from './publishing-in-test.ts'
import { openPublishingRows, type PublishingRows } from './publishing-rows.ts'

const maxTurns = 2
const page = Buffer.from('<title>page</title>')
const files = [{ path: 'index.html', hash: contentHash(page) }]
const dueDomain = prepare.select('domains', ['host', 'turn_owner', 'issue_at'], { id: 'id' })

describe.each(cases(engines))('an owner who starts everything at once on %s', (engine) => {
  let world: DomainsInTest
  let rows: PublishingRows
  let [busy, other]: Owner[] = []
  const uploads: ClientRequest[] = []
  const readers: EventReader[] = []
  beforeAll(async () => {
    world = await startDomains(engine, { start: { streamLimits: { inAll: 6, forAccount: 5 } } })
    rows = openPublishingRows(world.store.place)
    busy = await world.owner()
    other = await world.owner()
  })
  afterAll(async () => {
    for (const upload of uploads) upload.destroy()
    for (const reader of readers) reader.close()
    await rows.close()
    await world.release()
  })

  /** An upload whose body does not end. */
  async function holdUpload({ person, slug }: Owner, n: number): Promise<void> {
    const { httpPort } = world.store.running.config
    const hash = contentHash(Buffer.from(`${n}`))
    const upload = request({
      ...{ host: '127.0.0.1', port: httpPort, method: 'PUT', agent: false },
      path: `/api/projects/${slug}/files/${hash}`,
      headers: {
        ...{ host: `localhost:${httpPort}`, origin: `http://localhost:${httpPort}` },
        ...{ cookie: person.cookie(), expect: '100-continue' },
        ...{ 'content-type': 'application/octet-stream', 'content-length': 25 * 1024 * 1024 },
      },
    })
    upload.on('error', () => {})
    uploads.push(upload)
    upload.flushHeaders()
  }

  async function follow({ person, slug }: Owner): Promise<EventReader> {
    const { httpPort } = world.store.running.config
    const path = `/projects/${slug}/domain-events/stream`
    const reader = await followByHttp1(httpPort, path, { cookie: person.cookie() })
    readers.push(reader)
    return reader
  }

  /** Domains that have no records yet: each check is repeated. */
  async function addDomains(owner: Owner, count: number): Promise<void> {
    const zone = world.buy()
    for (let n = 0; n < count; n++) await owner.add(`h${n}.${zone.name}`)
  }

  async function upload({ person, slug }: Owner): Promise<void> {
    expect((await person.putFile(slug, page)).status).toBe(204)
  }

  async function deploy({ person, slug }: Owner): Promise<void> {
    expectJson(await person.post(`/projects/${slug}/deploys`, { files }), 201)
  }

  it('delays the upload, stream, deploy, check and order of another by at most two turns', async () => {
    if (!busy || !other) throw new Error('no owners')
    await addDomains(busy, 10)
    for (let n = 0; n < 4; n++) await busy.addProven()
    await addDomains(other, 1)
    await other.addProven()

    await upload(busy)
    // More than its share of the memory for uploads, and of the streams: those of another go on meanwhile.
    for (let n = 0; n < 12; n++) await holdUpload(busy, n)
    await once(uploads[0] as ClientRequest, 'continue')
    for (let n = 0; n < 7; n++) await follow(busy)
    expect((await follow(other)).status).toBe(200)
    await upload(other)

    // From here on the test claims the work, as another process does.
    await world.store.running.publishing.stop()
    for (let n = 0; n < 8; n++) await deploy(busy)
    await deploy(other)
    world.pass(10 * minute)
    const before = { deploy: 0, check: 0, order: 0 }
    const { now } = world.store.clock
    // As with an authority, which this program has not.
    const ordered = `certificate = 'preflight', issue_at = ${now}, due_at = ${now}`
    const statement = `update domains set ${ordered} where ownership = 'proven'`
    await query(world.store.place, 'publishing', statement)
    const { id: project } = await other.person.read<Project>(`/projects/${other.slug}`)
    for (;;) {
      const claim = await rows.database.write(claimDeployTransaction, { now })
      if (!claim || claim.project === project) break
      before.deploy++
    }
    const claimed = await claimDomains(rows.database, now)
    const isOther = ({ owner }: Claimed) => owner === other?.person.account.id
    const isBusy = ({ owner }: Claimed) => owner === busy?.person.account.id
    const order = claimed.findIndex((domain) => isOther(domain) && domain.isOrder)
    const check = claimed.findIndex((domain) => isOther(domain) && !domain.isOrder)
    // Each in turns of the busy owner.
    const turns = (end: number) => claimed.slice(0, end).filter(isBusy).length
    Object.assign(before, { order: turns(order), check: turns(check) })
    expect(order, JSON.stringify(claimed)).toBeGreaterThanOrEqual(0)
    expect(check, JSON.stringify(claimed)).toBeGreaterThanOrEqual(0)
    expect(claimed.filter(isBusy).length).toBeGreaterThan(10)
    for (const [work, waited] of Object.entries(before))
      expect(waited, `${work} ${JSON.stringify(claimed)}`).toBeLessThanOrEqual(maxTurns)
  })
})

interface Claimed {
  host: string
  owner: string
  /** A certificate is to be ordered; otherwise the domain is to be checked. */
  isOrder: boolean
}

/** Claims what is due, one after another, and keeps it. */
async function claimDomains(database: Database, now: number): Promise<Claimed[]> {
  const claimed: Claimed[] = []
  for (;;) {
    const [lease] = await database.write(domainLeases.claimTransaction, { now, max: 1 })
    if (!lease) return claimed
    const [row] = await database.read.all(dueDomain, { id: lease.id })
    if (!row) throw new Error('the domain was removed')
    const { host, issue_at, turn_owner: owner } = row
    claimed.push({ host, owner, isOrder: issue_at !== null && Number(issue_at) <= now })
  }
}

// kill -9 at each stage of a deploy, and a graceful stop: the live deploy stays live, the new one resumes or does not
// exist, and nothing is left over.

import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { prepare } from '#publishing/database/tables.ts'
import { abandonOldReceptions } from '#publishing/deploys/create-deploy.ts'
import { deleteOldUploads } from '#publishing/deploys/files.ts'
import { maxReceiveMs } from '#publishing/projects/plan-limits.ts'
import { cases, isLong } from '../cases.ts'
import { createTestDatabase, type Engine, engines } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { archiveOf } from './archive-of.ts'
import { day, type Files, type People, peopleAt } from './publishing-in-test.ts'
import { noOrphans, openPublishingRows, type PublishingRows } from './publishing-rows.ts'

const pages = 1100

/** Enough files to make each stage last; every file names its version. */
function version(name: string): Files {
  const filler = `<p>${'Words that fill a page. '.repeat(40)}</p>`
  const files = Array.from({ length: pages }, (_, i) => [
    `${i || 'index'}.html`,
    `<h1>${name} ${i}</h1>${filler}`,
  ])
  return Object.fromEntries(files)
}

const newest = prepare.select(
  'deploys',
  ['number', 'state', 'site_files', 'lease', 'attempts'],
  {},
  { orderBy: ['number desc'], limit: 1 },
)
const uploaded = prepare.count('uploads', {})

/** Polls often, so that a short stage is not missed. */
async function until(condition: () => Promise<boolean>, everyMs = 2): Promise<void> {
  const deadline = performance.now() + 40_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the condition was not met in time')
    await delay(everyMs)
  }
}

interface World {
  rows: PublishingRows
  port: number
  pid: number
  token: string
}

async function deployState({ rows }: World) {
  const [row] = await rows.database.read.all(newest, {})
  return row ?? { number: 0n, state: 'none', site_files: 0n, lease: null, attempts: 0n }
}

async function isBuilding(world: World, last: bigint): Promise<boolean> {
  const { number, site_files, state } = await deployState(world)
  return number > last && state === 'building' && site_files > 0n
}

async function countUploads({ rows }: World): Promise<number> {
  return Number((await rows.database.read.all(uploaded, {}))[0]?.count)
}

/** Stages of a deploy, in order: whether one is reached, and what was before the archive was sent. */
const stages = cases<
  [string, (world: World, before: { last: bigint; uploads: number }) => Promise<boolean>]
>(
  [
    ['while an archive is uploaded', ({ pid }) => holdsNamelessFile(pid)],
    [
      'while its files are written',
      async (world, { uploads }) => (await countUploads(world)) > uploads,
    ],
    [
      'while its sources are bound',
      async ({ rows }) => (await rows.states()).some((one) => /receiving|uploaded/.test(one)),
    ],
    ['while it is built', (world, { last }) => isBuilding(world, last)],
    [
      'right before the switch',
      async (world, { last }) => {
        const { number, site_files } = await deployState(world)
        return number > last && site_files === BigInt(pages)
      },
    ],
  ],
  ([stage]) => /uploaded|built/.test(stage),
)

// Both engines at once: most of the time passes until the claims of dead processes expire, and on a busy machine in
// sixteen starts of the program, each of which needs a second of processor time.
const timeout = 300_000
it('kill -9 at each stage of a deploy leaves the old one live, without orphans', { timeout }, () =>
  onEach(killAtEachStage),
)
if (isLong)
  it('a graceful stop releases the claim, and the next start resumes at once', { timeout }, () =>
    onEach(stopGracefully),
  )

async function onEach(test: (engine: Engine) => Promise<void>): Promise<void> {
  await Promise.all(
    cases(engines).map((engine) =>
      test(engine).catch((error: Error) => {
        error.message = `on ${engine}: ${error.message}`
        throw error
      }),
    ),
  )
}

async function killAtEachStage(engine: Engine): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'animal-store-test-'))
  onTestFinished(() => rm(temporary, { recursive: true }))
  const env = { TMPDIR: temporary }
  const { people, place, world, ...begun } = await begin(engine, env)
  const { port, rows } = world
  let { served } = begun

  for (const [stage, isReached] of stages) {
    const before = await shown(people)
    const rowsBefore = {
      last: (await deployState(world)).number,
      uploads: await countUploads(world),
    }
    await sendArchive(world, archiveOf(version(stage)), stage.includes('uploaded') ? 0.5 : 1)
    await until(() => isReached({ ...world, pid: served.pid }, rowsBefore))
    await served.end('SIGKILL')
    served = await serveForTest(place, { ...env, HTTP_PORT: String(port) })
    // Some stages are short: the deploy had finished before the kill. On a busy machine the ones before it have, too:
    // they are continued as soon as the claims of dead processes expire.
    const after = await shown(people)
    const versions = ['good', ...stages.map(([name]) => name)]
    expect(versions.slice(versions.indexOf(before ?? ''), versions.indexOf(stage) + 1)).toContain(
      after,
    )
    expect(await rows.orphans()).toEqual(noOrphans)
  }

  const isOpen = (state: string) => /receiving|uploaded|building|removed/.test(state)
  // The last deploy must not be overtaken by those of the killed processes.
  const last = stages.at(-1)?.[0]
  await until(async () => !(await rows.states()).some((one) => /uploaded|building/.test(one)), 100)
  expect(await shown(people)).toBe(last)
  expect((await people.visit('docs', `/${pages - 1}`)).text).toContain(`<h1>${last} ${pages - 1}`)
  expect((await rows.states()).filter((state) => state.endsWith('failed'))).toEqual([])

  // Uploads are kept for a day, and bound files for an hour: both times are over now.
  await deleteOldUploads(rows.database, Date.now() + day)
  await abandonOldReceptions(rows.database, Date.now() + maxReceiveMs + 1)
  await people.operator.create('other')
  await people.operator.delete('/projects/other?name=other')
  await until(async () => !(await rows.states()).some(isOpen), 100)
  const counts = await rows.count()
  const deploys = (await rows.states()).length
  // The first deploy has one page.
  expect(counts).toMatchObject({
    uploads: 0,
    deploys,
    files: 1 + (deploys - 1) * pages,
    deploy_sources: 1 + (deploys - 1) * pages,
    deploy_files: 1 + (deploys - 1) * pages,
  })
  expect(await rows.orphans()).toEqual(noOrphans)
  expect((await readdir(temporary)).filter((name) => name.startsWith('animal-store-'))).toEqual([])
  expect(served.log()).not.toMatch(/"level":"(?:error|fatal)"|"level":[56]0/)
}

async function stopGracefully(engine: Engine): Promise<void> {
  const { people, place, world, ...begun } = await begin(engine)
  let { served } = begun
  await sendArchive(world, archiveOf(version('new')))
  await until(() => isBuilding(world, 1n))
  expect(await served.end('SIGTERM')).toBe(0)
  expect(await deployState(world)).toMatchObject({ state: 'uploaded', lease: null, attempts: 0n })
  served = await serveForTest(place, { HTTP_PORT: String(world.port) })
  expect(await shown(people)).toBe('good')
  await until(async () => (await deployState(world)).state === 'live', 50)
  // The next process did not wait for an expiring claim, because there was none.
  expect((await deployState(world)).attempts).toBe(1n)
  expect(await shown(people)).toBe('new')
  expect(await world.rows.orphans()).toEqual(noOrphans)
  expect(await served.end()).toBe(0)
}

/** A process with the first deploy. */
async function begin(engine: Engine, env = {}) {
  const place = await createTestDatabase(engine)
  const served = await serveForTest(place, env)
  const rows = openPublishingRows(place)
  onTestFinished(async () => {
    await rows.close()
    await place.release()
  })
  const { pid, port } = served
  const people = await peopleAt(port, served.setUpToken)
  await people.operator.publish('docs', { 'index.html': '<h1>good 0</h1>' })
  const world: World = { rows, port, pid, token: await people.operator.token() }
  return { people, place, served, world }
}

/** The version that visitors see; a truncated page has none. */
async function shown({ visit }: People): Promise<string | undefined> {
  const { status, text } = await visit('docs')
  return status === 200 ? /^<h1>(.+) 0<\/h1>/.exec(text)?.[1] : `${status}`
}

/** Sends an archive, or its beginning, and ignores the response. */
async function sendArchive({ port, token }: World, bytes: Buffer, share = 1): Promise<void> {
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/projects/docs/archives',
    headers: {
      host: `localhost:${port}`,
      authorization: `Bearer ${token}`,
      'content-type': 'application/gzip',
      'content-length': bytes.length,
    },
  })
  sent.on('error', () => {})
  sent.on('response', (response) => response.resume().on('error', () => {}))
  const part = bytes.subarray(0, Math.floor(bytes.length * share))
  await new Promise<void>((resolve) => sent.write(part, () => resolve()))
  if (share === 1) sent.end()
}

/** Whether the process has an unlinked upload open. */
async function holdsNamelessFile(pid: number): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')),
  )
  return targets.some((target) => /animal-store-[0-9a-f-]{36} \(deleted\)$/.test(target))
}

// Hostile archives sent to a process: each archive of the table is refused with its own error, the last successful deploy
// stays live, nothing is left over, and memory is limited. What sources of a site may contain: server/renderer/.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveForm } from '#publishing/archives/read-archive.ts'
import { planLimits } from '#publishing/projects/plan-limits.ts'
import { cases } from '../cases.ts'
import { anyEngine, createTestDatabase, type TestDatabase } from '../database.ts'
import { refusal } from '../running-store.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'
import { hostileArchives } from './hostile-archives.ts'
import { type People, type Person, peopleAt } from './publishing-in-test.ts'
import { noOrphans, openPublishingRows } from './publishing-rows.ts'

const table = hostileArchives(planLimits.free)
/** Archives of which something is written before they are refused: only for them the engine matters. */
const written = table.filter(({ name }) => /limit|bomb|smaller|larger|CRC/.test(name))
/** Of the process, which has about 150 before the first archive. */
const maxMegabytes = 450

describe.each(anyEngine)('hostile archives over HTTP on %s', (engine) => {
  let place: TestDatabase
  let served: ServedProcess
  let people: People
  let member: Person

  beforeAll(async () => {
    place = await createTestDatabase(engine)
    served = await serveProcess(place)
    people = await peopleAt(served.port, served.setUpToken)
    member = await people.member()
    await member.publish('docs', { 'index.html': 'good' })
  })
  afterAll(async () => {
    expect(await served.end()).toBe(0)
    await place.release()
  })

  it.each(cases(engine === 'sqlite' ? table : written, (_, i) => i % 12 === 0))(
    '$name',
    async ({ bytes, form, refusal: reason }) => {
      const body = bytes()
      const response = await member.upload('docs', body)
      expect(response).toMatchObject(refusal(400, 'invalid_archive'))
      const { message } = response.json as { message: string }
      // The format is determined by the first bytes.
      expect(message).toMatch(archiveForm(body) === form ? reason : /not a \.zip|no files/)
      // It is shown to users: no invisible characters and no line breaks.
      expect(message).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    },
  )

  it.each([
    ['nothing', Buffer.alloc(0), 400],
    ['text', Buffer.from('hello'), 400],
    ['a page', Buffer.from('<!doctype html>'), 400],
    ['zeros', Buffer.alloc(100_000), 400],
    ['more than the plan allows', Buffer.alloc(planLimits.free.bytes + 1, 'PK\x03\x04'), 413],
  ])('%s', async (_, body, status) => {
    const code = status === 413 ? 'body_too_large' : 'invalid_archive'
    expect(await member.upload('docs', body)).toMatchObject(refusal(status, code))
  })

  it('leave the last successful deploy live, no trace, and little memory', async () => {
    expect((await people.visit('docs')).text).toBe('good')
    expect(await member.deploys('docs')).toHaveLength(1)
    const rows = openPublishingRows(place)
    expect(await rows.count()).toMatchObject({ deploys: 1, uploads: 0, files: 1 })
    expect(await rows.orphans()).toEqual(noOrphans)
    await rows.close()
    expect(peakMegabytes(served.child.pid)).toBeLessThan(maxMegabytes)
    expect(served.log()).toBe('')
  })
})

function peakMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

it('include many of which something is written', () => {
  expect(table.length).toBeGreaterThan(150)
  expect(written.length).toBeGreaterThan(10)
})

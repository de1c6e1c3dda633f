// Import and export over the management API: a preview that writes nothing, all or nothing, only valid records, and a
// file that can be imported again.
import { describe, expect, it } from 'vitest'
import type { StoreEnvironment } from '#store/environments/routes.ts'
import type { ImportOfAnimals } from '#store/operators/transfer-routes.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { managing, store } from './store-in-test.ts'

const largest = '9223372036854775807'
const good = `name,categoryId,status\r\nRex,7,\r\n"Mia, the cat",${largest},sold\r\n`
const bad = 'name,categoryId,status\r\nRex,7,\r\n,8,\r\nMia,x,lost\r\nZoe,9,sold\r\n'

describe.each(engines)('moving animals on %s', (engine) => {
  managing(engine)

  const count = async (): Promise<number> => (await store.get<StoreEnvironment>('')).animals.total
  const send = (body: string | Buffer, query = '', type = 'text/csv') =>
    store.manage(`/pets/import${query}`, { method: 'POST', body, type })

  it('is previewed before anything is written', async () => {
    const before = await count()
    const preview = await send(bad, '?dryRun=true')
    expect(preview.status).toBe(200)
    expect(preview.json).toMatchObject({
      ...{ dryRun: true, checked: 4, imported: 0, rejected: 2, isWhole: true, problemCount: 3 },
      problems: [
        { line: 3, path: 'name' },
        { line: 4, path: 'categoryId' },
        { line: 4, path: 'status' },
      ],
      first: [
        { name: 'Rex', categoryId: 7, status: 'available' },
        { name: 'Zoe', categoryId: 9, status: 'sold' },
      ],
    })
    expect(await count()).toBe(before)
  })

  it('shows the first 20 problems and the first 10 animals', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => (i % 2 ? `No. ${i},x` : `No. ${i},1`))
    const preview = await send(`name,categoryId\n${lines.join('\n')}\n`, '?dryRun=true')
    const { first, problemCount, problems } = preview.json as ImportOfAnimals
    expect([problemCount, problems.length, first.length]).toEqual([30, 20, 10])
    expect(first.at(-1)).toMatchObject({ name: 'No. 18' })
  })

  it('adds all, with every digit', async () => {
    const before = await count()
    const done = await send(good)
    expect(done.json).toMatchObject({ dryRun: false, checked: 2, imported: 2, rejected: 0 })
    expect(done.text).toContain(`"categoryId":${largest},`)
    expect(await count()).toBe(before + 2)
    const found = await store.manage(`/pets?categoryId=${largest}`)
    expect(found.text).toContain('"name":"Mia, the cat"')
  })

  it('adds nothing if anything is invalid, and shows where', async () => {
    const before = await count()
    expect(await send(bad)).toMatchObject({
      status: 400,
      json: { code: 'invalid_body', details: [{ path: 'line 3: name' }, {}, {}] },
    })
    expect(await count()).toBe(before)
  })

  it('adds the valid records on request', async () => {
    const before = await count()
    const done = await send(bad, '?keepGoing=true')
    expect(done.json).toMatchObject({ imported: 2, rejected: 2, problemCount: 3 })
    expect(await count()).toBe(before + 2)
  })

  it('refuses too much, and other formats', async () => {
    const many = await send(`name,categoryId\n${'Rex,1\n'.repeat(50_001)}`, '?dryRun=true')
    expect(many).toMatchObject(refusal(413, 'body_too_large'))
    const long = await send(Buffer.alloc(8 * 1024 * 1024 + 1, 'x'))
    expect(long).toMatchObject(refusal(413, 'body_too_large'))
    expect(await send(good, '', 'text/plain')).toMatchObject(refusal(415, 'unsupported_media_type'))
  })

  it.each([
    ['csv', 'text/csv'],
    ['ndjson', 'application/x-ndjson'],
    ['json', 'application/json'],
  ])('exports a file of %s that can be imported again', async (form, type) => {
    const before = await count()
    const path = `/pets/export?form=${form}`
    const file = await store.manage(path, { headers: { accept: type } })
    expect(file.status).toBe(200)
    expect(file.headers).toMatchObject({
      'content-type': type,
      'content-disposition': `attachment; filename="animals-production-2027-01-01.${form}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(file.text).toContain(largest)
    const back = await send(file.text, '?dryRun=true', type)
    expect(back.json).toMatchObject({ checked: before, rejected: 0 })
  })

  it('exports animals of one status', async () => {
    const file = await store.manage('/pets/export?form=ndjson&status=sold')
    const lines = file.text.trim().split('\n')
    expect(new Set(lines.map((line) => JSON.parse(line).status))).toEqual(new Set(['sold']))
    const wrong = await store.manage('/pets/export?form=xml')
    expect(wrong).toMatchObject(refusal(400, 'invalid_parameter', 'form'))
    const refused = await store.manage('/pets/export', { headers: { accept: 'image/png' } })
    expect(refused).toMatchObject(refusal(406, 'not_acceptable'))
  })
})

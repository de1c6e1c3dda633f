// Large deploys: 5,000 files as an archive and one by one, 1,000 pages of Markdown, and the responses to visitors in
// the meantime. Also two processes: what one has done is visible at the other with the next request.
// In npm test: test/publishing/deploys.test.ts.
import { Agent } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { contentHash } from '#publishing/deploys/files.ts'
import { anyEngine, engines } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { placeForTest } from '../place-for-test.ts'
import { archiveOf } from './archive-of.ts'
import { type Files, peopleAt } from './publishing-in-test.ts'
import { newProject, owner, publishing, serving, slug, visit } from './serving.ts'

const timeout = 60_000

function manyFiles(count: number, what: string): Files {
  const page = (i: number): [string, string] => [
    `part-${i % 70}/page-${i}.html`,
    `<h1>Page ${i} of ${what}</h1>`,
  ]
  return Object.fromEntries([
    ['index.html', what],
    ...Array.from({ length: count - 1 }, (_, i) => page(i)),
  ])
}

describe.each(anyEngine)('a large deploy on %s', { timeout }, (engine) => {
  serving(engine)
  beforeEach(() => newProject())

  it('of as many files as the free plan allows goes live, and again with one changed page', async () => {
    const free = await publishing.member()
    await newProject(free)
    const files = manyFiles(5000, 'an archive')
    expect(await free.deploy(slug, archiveOf(files))).toMatchObject({
      state: 'live',
      sourceFiles: 5000,
      siteFiles: 5000,
    })
    for (const i of [0, 1234, 4998]) {
      const { text } = await visit(slug, `/part-${i % 70}/page-${i}`)
      expect(text).toBe(`<h1>Page ${i} of an archive</h1>`)
    }
    const hashes = Object.values(files).map((text) => contentHash(Buffer.from(text as string)))
    expect(await free.missing(slug, hashes)).toEqual([])
    const changed = { ...files, 'index.html': 'changed' }
    expect(await free.deployFolder(slug, changed)).toMatchObject({ state: 'live', sent: 1 })
    expect((await visit(slug)).text).toBe('changed')
  })

  it('of 5,000 files is sent one by one, many at once', async () => {
    const token = await owner.token(['deploys:write'])
    const files = Object.entries(manyFiles(5000, 'single files')).map(([path, text]) => {
      const bytes = Buffer.from(text as string)
      return { path, bytes, hash: contentHash(bytes) }
    })
    const queue = [...files]
    const statuses = new Set<number>()
    const agent = new Agent({ keepAlive: true })
    const binary = { type: 'application/octet-stream' }
    const sendNext = async (): Promise<void> => {
      for (let file = queue.pop(); file; file = queue.pop()) {
        const options = { method: 'PUT', body: file.bytes, ...binary, token, agent }
        statuses.add((await owner.ask(`/projects/${slug}/files/${file.hash}`, options)).status)
      }
    }
    await Promise.all(Array.from({ length: 32 }, sendNext))
    agent.destroy()
    expect([...statuses]).toEqual([204])
    const body = { files: files.map(({ hash, path }) => ({ path, hash })) }
    const begun = await owner.ask(`/projects/${slug}/deploys`, { body, token })
    expect(begun.status).toBe(201)
    const { number } = begun.json as { number: number }
    expect(await owner.finished(slug, number)).toMatchObject({ state: 'live', siteFiles: 5000 })
  })

  it('of 8,000 files is bound in parts, and is invisible until it is complete', async () => {
    const sending = owner.upload(slug, archiveOf(manyFiles(8000, 'many')))
    const seen = new Set<number>()
    let isOver = false
    void sending.finally(() => {
      isOver = true
    })
    while (!isOver) {
      for (const { sourceBytes, sourceFiles } of await owner.deploys(slug)) {
        if (sourceFiles === 8000) seen.add(sourceBytes)
      }
    }
    const begun = await sending
    const { number, sourceBytes } = begun.json as { number: number; sourceBytes: number }
    expect([...seen].filter((bytes) => bytes !== sourceBytes)).toEqual([])
    expect((await owner.finished(slug, number)).state).not.toBe('failed')
  })

  it('of 1,000 pages of Markdown is rendered, and the store stays responsive', async () => {
    const text = (i: number): string =>
      [
        `# Page ${i}`,
        `Some words about ${i}, and [the next](page-${(i + 1) % 1000}.md).`,
        '## Code',
        '```js',
        `const answer = ${i}`,
        '```',
        '- one\n- two',
      ].join('\n\n')
    const pages = Array.from({ length: 1000 }, (_, i): [string, string] => [
      `part-${i % 20}/page-${i}.md`,
      text(i),
    ])
    const files = Object.fromEntries([['index.md', '# Welcome'], ...pages])
    const { number } = (await owner.upload(slug, archiveOf(files))).json as { number: number }
    let isOver = false
    const rendering = owner.finished(slug, number).finally(() => {
      isOver = true
    })
    let slowest = 0
    while (!isOver) {
      const started = performance.now()
      expect((await publishing.store.ask('/pets?limit=1')).status).toBe(200)
      slowest = Math.max(slowest, performance.now() - started)
    }
    const done = await rendering
    expect(done).toMatchObject({ state: 'live', kind: 'rendered', sourceFiles: 1001 })
    expect(done.siteFiles).toBeGreaterThan(1001)
    expect((await visit(slug, '/part-7/page-7')).text).toContain('Page 7')
    // Far more than it takes, for busy machines.
    expect(slowest).toBeLessThan(5000)
  })
})

it.each(engines)('two processes on %s show each other’s changes', { timeout }, async (engine) => {
  const place = await placeForTest(engine)
  const { port, setUpToken } = await serveForTest(place, { WORKERS: '2' })
  const people = await peopleAt(port, setUpToken)
  const { operator, visit } = people
  await operator.create('docs')
  for (const text of ['one', 'two'])
    await operator.deploy('docs', archiveOf({ 'index.html': text }))
  const processes = new Set<string | undefined>()
  for (let i = 0; i < 30 || (processes.size < 2 && i < 200); i++) {
    const number = 1 + (i % 2)
    const response = await operator.post(`/projects/docs/deploys/${number}/restore`)
    expect(response.status, response.text).toBe(200)
    for (const { headers, text } of await Promise.all([visit('docs'), visit('docs')])) {
      expect(text, JSON.stringify({ i, headers })).toBe(['one', 'two'][i % 2])
      processes.add(headers['x-request-id']?.split('-')[0])
    }
  }
  expect(processes.size).toBe(2)
  const removal = await operator.delete('/projects/docs?name=docs')
  expect(removal.status).toBe(204)
  const gone = await Promise.all(Array.from({ length: 10 }, () => visit('docs')))
  expect(gone.map(({ status }) => status)).toEqual(Array(10).fill(404))
})

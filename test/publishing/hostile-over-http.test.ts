// Hostile archives and scripts sent to a process: each archive of the table is refused with its own error, the last
// successful deploy stays live, nothing is left over, and memory is limited. Scripts in rendered sources never run.

import { readFileSync } from 'node:fs'
import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveForm } from '#publishing/archives/read-archive.ts'
import { planLimits } from '#publishing/projects/plan-limits.ts'
import { cases } from '../cases.ts'
import { anyEngine, createTestDatabase, type TestDatabase } from '../database.ts'
import { refusal } from '../running-store.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'
import { archiveOf } from './archive-of.ts'
import { hostileArchives } from './hostile-archives.ts'
import { type Files, type People, type Person, peopleAt } from './publishing-in-test.ts'
import { noOrphans, openPublishingRows } from './publishing-rows.ts'
import { owner, serving, visit } from './serving.ts'

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

const attack = '<img src=x onerror=alert(1)><script>alert(1)</script>'
const quoted = JSON.stringify(`"'></title>${attack}`)
const paths = JSON.stringify({
  [`/a${attack}`]: {
    get: {
      operationId: `"><script>alert(1)</script>`,
      summary: attack,
      description: `${attack} [x](javascript:alert(1))`,
      tags: [attack],
      parameters: [{ name: attack, in: 'query', description: attack, schema: { type: attack } }],
      responses: { 200: { description: attack } },
    },
  },
})

/** A path and its source. What Markdown and HTML may contain: server/renderer/markdown/sanitise.test.ts. */
const hostileSources: [string, string][] = [
  ['script.md', '# A\n\n<script>alert(1)</script>'],
  ['heading.md', `# ${attack}\n\n## ${attack}`],
  ['code.md', `\`\`\`js" onclick="alert(1)\n${attack}\n\`\`\``],
  ['title.md', `---\ntitle: ${quoted}\ndescription: ${quoted}\n---\n\ntext`],
  [`name'"><script>alert(1)<`, 'not rendered, and harmless as a file'],
  [`<img src=x onerror=alert(1)>.md`, '# By its name'],
  [`"><svg onload=alert(1)>/page.md`, 'text without a title'],
  [
    'openapi.json',
    `{"openapi":"3.1.0","info":{"title":${quoted},"version":${quoted}},"paths":${paths}}`,
  ],
]

it('include many of which something is written', () => {
  expect(table.length).toBeGreaterThan(150)
  expect(written.length).toBeGreaterThan(10)
})

describe('scripts in rendered sources', () => {
  serving('sqlite')
  beforeAll(() => owner.create('docs', `</title><script>alert(1)</script>`))

  it('are harmless on every page', async () => {
    const files: Files = { 'index.md': attack, ...Object.fromEntries(hostileSources) }
    const deploy = await owner.deploy('docs', archiveOf(files))
    expect(deploy.failure).toBeNull()
    expect(deploy.kind).toBe('rendered')
    const seen: string[] = []
    const queue = ['/']
    for (const path of queue) {
      const page = await visit('docs', path)
      expect(page.status, path).toBe(200)
      if (!page.headers['content-type']?.startsWith('text/html')) continue
      seen.push(path)
      expect(page.headers['content-security-policy']).toContain("default-src 'self'")
      const { dangers, links } = partsOf(page.text)
      expect(dangers, path).toEqual([])
      for (const link of links) {
        const target = new URL(link, `http://docs.example${path}`)
        if (target.host === 'docs.example' && !queue.includes(target.pathname)) {
          queue.push(target.pathname)
        }
      }
    }
    // The pages, and those of the API reference.
    expect(seen.length).toBeGreaterThan(hostileSources.length)
  })

  it('are found by this check', () => {
    for (const html of [
      attack,
      '<script src="//evil.example/x.js"></script>',
      '<a href=" javascript:x">x</a>',
      '<iframe></iframe>',
      '<input>',
      '<input type="radio" name="api-language" value="curl" autofocus>',
      '<p style="x">x</p>',
    ]) {
      expect(partsOf(html).dangers).not.toEqual([])
    }
  })
})

const forbidden = new Set(
  'iframe frame object embed applet base form input textarea select template noscript math style'.split(
    ' ',
  ),
)

/** A radio button of the theme, with nothing else: the language of an example. */
function isLanguageChoice(name: string, attributes: Record<string, string>): boolean {
  const { checked, name: field, type, value, ...others } = attributes
  const isKnown = ['curl', 'javascript', 'python'].includes(value ?? '') && !checked
  const isAlone = Object.keys(others).length === 0
  return name === 'input' && type === 'radio' && field === 'api-language' && isKnown && isAlone
}

/** What could run or load from elsewhere in a page, and the targets of its links. */
function partsOf(html: string): { dangers: string[]; links: string[] } {
  const dangers: string[] = []
  const links: string[] = []
  let inScript = false
  const parser = new Parser({
    onopentag(name, attributes) {
      inScript = name === 'script'
      const { href, 'http-equiv': pragma, rel = '', src } = attributes
      if (forbidden.has(name) && !isLanguageChoice(name, attributes)) dangers.push(name)
      if (pragma !== undefined) dangers.push(`meta ${pragma}`)
      if (inScript && !src?.startsWith('/_site/')) dangers.push(`script ${src}`)
      if (name === 'link' && rel === 'stylesheet' && !href?.startsWith('/_site/')) dangers.push(rel)
      for (const [key, value] of Object.entries(attributes)) {
        if (/^(?:on|style$|srcdoc$|formaction$)/.test(key)) dangers.push(`${name} ${key}`)
        const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value.replaceAll(/[\0-\x20]/g, ''))?.[1]
        const isAddress = ['href', 'src', 'action', 'poster', 'xlink:href'].includes(key)
        if (isAddress && scheme && !/^(?:https?|mailto|tel)$/i.test(scheme)) {
          dangers.push(`${name} ${key}=${value}`)
        }
      }
      if (name === 'a' && href) links.push(href)
    },
    ontext(text) {
      if (inScript && text.trim() !== '') dangers.push(`script: ${text}`)
    },
    onclosetag() {
      inScript = false
    },
  })
  parser.end(html)
  return { dangers, links }
}

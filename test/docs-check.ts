// npm run docs-check -- FOLDER…: deploys folders of documentation, as they are, into a program of its own, follows all links of
// the published pages as a visitor would, and prints what is lost of each folder: a row of a Markdown table on standard output,
// and the places on standard error.
import { readdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isIgnoredFile } from '#publishing/archives/ignored-files.ts'
import { anchorOf } from '#renderer/report/anchors.ts'
import { rawSyntaxIn } from '#renderer/report/raw-syntax.ts'
import type { BuildReport, ProblemKind } from '#renderer/site-files/site-file.ts'
import { zipOf } from './publishing/archive-of.ts'
import { type Files, startPublishing } from './publishing/publishing-in-test.ts'
import type { Answer } from './running-store.ts'

const written = /^(?!(?:.*\/)?\.).*\.(?:mdx?|markdown|rst|adoc|ipynb|org|textile)$/i
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const publishing = await startPublishing('sqlite')
const owner = await publishing.member('paid')

function readFolder(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !isIgnoredFile(path))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]))
}

/** The places of each fault: the first, and how many. */
class Faults extends Map<string, { count: number; first: string }> {
  add(what: string, first: string): void {
    const { count = 0, first: known = first } = this.get(what) ?? {}
    this.set(what, { count: count + 1, first: known })
  }
  get total(): number {
    return [...this.values()].reduce((sum, { count }) => sum + count, 0)
  }
}

const unescaped = (html: string) =>
  html.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name) =>
    name === 'amp' ? '&' : ({ lt: '<', gt: '>', quot: '"' }[name as 'lt'] ?? "'"),
  )

/** What a reader reads, without code. */
function textOf(html: string): string {
  const words = html.replaceAll(/<(pre|code|script|style|math|svg)\b.*?<\/\1>/gs, '\uFFFC')
  const lines = words.replaceAll(/<\/?(?:p|div|li|h\d|td|br|summary)\b[^>]*>/g, '\n')
  return unescaped(lines.replaceAll(/<[^>]*>/g, ''))
}

async function check(folder: string, slug: string) {
  const files = readFolder(folder)
  await owner.create(slug, basename(folder))
  const begun = performance.now()
  const deploy = await owner.deploy(slug, zipOf(files))
  const seconds = (performance.now() - begun) / 1000
  const answers = new Map<string, Promise<Answer>>()
  async function get(path: string): Promise<Answer> {
    const asked = answers.get(path) ?? publishing.visit(slug, path, { agent })
    answers.set(path, asked)
    const { headers, status } = await asked
    const isMoved = status > 300 && status < 400 && /^\/[^/]/.test(headers.location ?? '')
    return isMoved ? await get(headers.location ?? '') : await asked
  }
  const sitemap = deploy.state === 'live' ? (await get('/sitemap.xml')).text : ''
  const listed = sitemap.matchAll(/<loc>https?:\/\/[^/]*([^<]*)/g)
  const pages = new Set([...listed].map(([, path = '']) => path))
  const faults = {
    raw: new Faults(),
    link: new Faults(),
    anchor: new Faults(),
    image: new Faults(),
  }
  let largest = { bytes: 0, page: '' }
  for (const page of pages) {
    const { text } = await get(page)
    const bytes = Buffer.byteLength(text)
    if (bytes > largest.bytes) largest = { bytes, page }
    // Those of old versions are not in the sitemap.
    for (const [, path = ''] of text.matchAll(/<a\b[^>]*? href="(\/[^"#?]*)"/g)) {
      await get(path)
      const { headers, status } = await (answers.get(path) as Promise<Answer>)
      if (status === 200 && headers['content-type']?.startsWith('text/html')) pages.add(path)
    }
    const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
    for (const { what } of rawSyntaxIn(textOf(main))) faults.raw.add(what, page)
    const links = main.matchAll(/<(a|img|source|video)\b[^>]*? (?:href|src)="([^"]*)"/g)
    for (const [, tag, address = ''] of links) {
      const url = URL.parse(unescaped(address), `http://site.invalid${page}`)
      if (url?.host !== 'site.invalid') continue
      const { headers, status, text } = await get(url.pathname)
      const anchor = anchorOf(url.hash)
      if (status !== 200) faults[tag === 'a' ? 'link' : 'image'].add(address, page)
      else if (!/html/.test(headers['content-type'] ?? '') || /^(?:top)?$/.test(anchor)) continue
      else if (!text.includes(` id="${anchor}"`)) faults.anchor.add(url.pathname + url.hash, page)
    }
  }
  const path = `/projects/${slug}/deploys/${deploy.number}/report`
  const report = await owner.read<BuildReport>(path)
  const ofKind = (kind: ProblemKind) => report.items.filter((item) => item.kind === kind)
  const lost = ofKind('not_rendered').map(({ count, file }) => `${count} ${/\.\w+$/.exec(file)}`)
  const columns = {
    folder,
    generator: report.generator?.name ?? '',
    state: deploy.state,
    'pages of sources': `${pages.size} of ${Object.keys(files).filter((file) => written.test(file)).length}`,
    'not rendered': lost.join(', ') || 0,
    'raw syntax': faults.raw.total,
    'dead links': faults.link.total,
    'dead anchors': faults.anchor.total,
    'missing images': faults.image.total,
    'unknown components': ofKind('unknown_component').reduce((sum, { count }) => sum + count, 0),
    problems: report.total,
    seconds: seconds.toFixed(1),
    'largest page': `${Math.ceil(largest.bytes / 1000)} kB ${largest.page}`,
  }
  const places = Object.entries(faults).flatMap(([name, found]) => {
    const sorted = [...found].sort(([, a], [, b]) => b.count - a.count).slice(0, 25)
    return sorted.map(([what, { count, first }]) => `  ${name} ${count} × ${what} (${first})\n`)
  })
  const problems = report.items.map(
    ({ count, file, line, message, severity }) =>
      `  ${severity} ${count} × ${file}:${line}: ${message}\n`,
  )
  const failure = deploy.failure ? [`  failed: ${JSON.stringify(deploy.failure)}\n`] : []
  return { columns, details: [...failure, ...places, ...problems].join('') }
}

const row = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |\n`
for (const [i, folder] of parseArgs({ allowPositionals: true }).positionals.entries()) {
  const { columns, details } = await check(resolve(folder), `docs-${i}`)
  const names = Object.keys(columns)
  if (i === 0) process.stdout.write(row(names) + row(names.map(() => '---')))
  process.stdout.write(row(Object.values(columns)))
  process.stderr.write(`${folder}\n${details}`)
}
agent.destroy()
await publishing.release()

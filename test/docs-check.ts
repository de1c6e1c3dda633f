// npm run docs-check -- FOLDER…: deploys folders of documentation into a program of its own, as they are, follows all links of
// the published pages as a visitor, and prints what of the folder is lost, and what a reader would see of unknown syntax. Of
// several folders as a Markdown table.
import { readdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { basename, join, resolve } from 'node:path'
import { isIgnoredFile } from '#publishing/archives/ignored-files.ts'
import { rawSyntaxIn } from '#renderer/report/raw-syntax.ts'
import type { BuildReport } from '#renderer/site-files/site-file.ts'
import { zipOf } from './publishing/archive-of.ts'
import { type Files, type Person, startPublishing } from './publishing/publishing-in-test.ts'
import type { Answer } from './running-store.ts'

/** Formats of documentation. */
const written = /\.(?:md|markdown|mdx|rst|adoc|asciidoc|ipynb|org|textile|mediawiki|tex|texi|pod)$/i
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const publishing = await startPublishing('sqlite')
const owner = await publishing.member('paid')

function readFolder(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const sent = paths.filter((path) => !isIgnoredFile(path)).sort()
  return Object.fromEntries(sent.map((path) => [path, readFileSync(join(folder, path))]))
}

type Counts = Map<string, { count: number; first: string }>

function add(counts: Counts, what: string, first: string): void {
  const known = counts.get(what)
  if (known) known.count++
  else counts.set(what, { count: 1, first })
}

async function check(folder: string, slug: string, by: Person) {
  const files = readFolder(resolve(folder))
  const begun = performance.now()
  await by.create(slug, basename(resolve(folder)))
  const deploy = await by.deploy(slug, zipOf(files))
  const seconds = (performance.now() - begun) / 1000
  const answers = new Map<string, Promise<Answer>>()
  const get = (path: string): Promise<Answer> => {
    const known = answers.get(path) ?? publishing.visit(slug, path, { agent })
    answers.set(path, known)
    return known.then((answer) => {
      const moved = answer.status > 300 && answer.status < 400 && answer.headers.location
      return moved && /^\/[^/]/.test(moved) ? get(moved) : answer
    })
  }
  const sitemap = deploy.state === 'live' ? (await get('/sitemap.xml')).text : ''
  const pages = [...sitemap.matchAll(/<loc>https?:\/\/[^/]*([^<]*)/g)].map(([, path = '']) => path)
  const result = {
    raw: new Map() as Counts,
    links: new Map() as Counts,
    anchors: new Map() as Counts,
    images: new Map() as Counts,
    largest: { bytes: 0, page: '' },
  }
  const ids = new Map<string, Set<string>>()
  const idsOf = (path: string, { text }: Answer) => {
    const known =
      ids.get(path) ?? new Set([...text.matchAll(/ id="([^"]*)"/g)].map((match) => match[1] ?? ''))
    ids.set(path, known)
    return known
  }
  for (const page of pages) {
    const { text } = await get(page)
    const bytes = Buffer.byteLength(text)
    if (bytes > result.largest.bytes) result.largest = { bytes, page }
    const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
    const words = main.replaceAll(
      /<(pre|code|script|style|math|svg)\b.*?<\/\1>|<textarea.*?>/gs,
      '\uFFFC',
    )
    const lines = words.replaceAll(/<\/?(?:p|div|li|h\d|td|br|summary)\b[^>]*>/g, '\n')
    const plain = lines.replaceAll(/<[^>]*>/g, '').replaceAll('&lt;', '<')
    const shown = plain
      .replaceAll('&gt;', '>')
      .replaceAll(/&quot;|&#39;/g, '"')
      .replaceAll('&amp;', '&')
    for (const { what } of rawSyntaxIn(shown)) add(result.raw, what, page)
    for (const [, tag, address = ''] of main.matchAll(
      /<(a|img|source|video)\b[^>]*? (?:href|src)="([^"]*)"/g,
    )) {
      const url = URL.parse(address.replaceAll('&amp;', '&'), `http://site.invalid${page}`)
      if (url?.host !== 'site.invalid') continue
      const found = await get(url.pathname)
      if (found.status !== 200) add(tag === 'a' ? result.links : result.images, address, page)
      const anchor = decodeURIComponent(url.hash.slice(1).split(':~:')[0] ?? '')
      const isThere =
        anchor === '' || anchor === 'top' || !/html/.test(found.headers['content-type'] ?? '')
      if (found.status === 200 && !isThere && !idsOf(url.pathname, found).has(anchor))
        add(result.anchors, `${url.pathname}#${anchor}`, page)
    }
  }
  const report = await by.read<BuildReport>(`/projects/${slug}/deploys/${deploy.number}/report`)
  return { ...result, deploy, files: Object.keys(files), folder, pages, report, seconds }
}

type Checked = Awaited<ReturnType<typeof check>>
const total = (counts: Counts) => [...counts.values()].reduce((sum, { count }) => sum + count, 0)

function summary({ deploy, files, folder, pages, report, ...found }: Checked): string[] {
  const sources = files.filter((path) => written.test(path) && !/(^|\/)\./.test(path)).length
  const lost = report.items.filter(({ kind }) => kind === 'not_rendered')
  const unknown = report.items.filter(({ kind }) => kind === 'unknown_component')
  const sum = (items: BuildReport['items']) => items.reduce((count, item) => count + item.count, 0)
  return [
    folder,
    report.generator?.name ?? '',
    deploy.state,
    `${pages.length} of ${sources}`,
    lost.length === 0
      ? '0'
      : lost.map(({ count, message }) => `${count} ${/\.\w+/.exec(message)}`).join(', '),
    `${total(found.raw)}`,
    `${total(found.links)}`,
    `${total(found.anchors)}`,
    `${total(found.images)}`,
    `${sum(unknown)}`,
    `${report.total}`,
    found.seconds.toFixed(1),
    `${Math.ceil(found.largest.bytes / 1000)} kB ${found.largest.page}`,
  ]
}
const columns =
  'folder,generator,state,pages of sources,lost,raw syntax,dead links,dead anchors,images missing,unknown components,problems,seconds,largest page'

function details({ anchors, deploy, images, links, raw, report }: Checked): string {
  const failure = deploy.failure ? [`failed: ${JSON.stringify(deploy.failure)}`] : []
  const lines = Object.entries({ raw, links, anchors, images }).flatMap(([name, counts]) =>
    [...counts]
      .sort(([, a], [, b]) => b.count - a.count)
      .slice(0, 25)
      .map(([what, { count, first }]) => `  ${name} ${count} × ${what} (${first})`),
  )
  const problems = report.items.map(
    ({ count, file, line, message, severity }) =>
      `  ${severity} ${count} × ${file}:${line}: ${message}`,
  )
  return [...failure, ...lines, ...problems].join('\n')
}

const folders = process.argv.slice(2)
const rows = [columns.split(','), columns.split(',').map(() => '---')]
for (const [i, folder] of folders.entries()) {
  try {
    const checked = await check(folder, `docs-${i}`, owner)
    rows.push(summary(checked))
    process.stderr.write(`${summary(checked).join(' | ')}\n${details(checked)}\n`)
  } catch (error) {
    rows.push([folder, `${error}`.slice(0, 200)])
  }
}
process.stdout.write(rows.map((row) => `| ${row.join(' | ')} |\n`).join(''))
agent.destroy()
await publishing.release()

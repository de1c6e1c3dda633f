// Metrics and logs of visits: their number, and no paths except at the level debug.
import { expect, it, onTestFinished } from 'vitest'
import { servePublishedSites } from './published-site.ts'

async function visit(logLevel: string) {
  const sites = await servePublishedSites('sqlite', { logLevel })
  onTestFinished(() => sites.release())
  await sites.publish('docs', { 'index.html': 'Front', 'private-page.html': 'P' })
  const headers = { 'X-Request-Id': 'id-1', Cookie: 'c00kie', Referer: 'http://r3ferer/' }
  for (const target of ['/', '/private-page?token=s3cret', '/private-page.html', '/private-none']) {
    await sites.ask(target, { headers })
  }
  return sites
}

it('counts each visit by its status, and at the level info visitors cannot write lines', async () => {
  const sites = await visit('info')
  const text = await sites.metrics.registry.metrics()
  const count = (status: number) =>
    `animal_store_requests_total{environment="sites",operation="page",status="${status}"}`
  for (const line of [`${count(200)} 2`, `${count(308)} 1`, `${count(404)} 1`])
    expect(text).toContain(`${line}\n`)
  expect(text).toContain(
    'animal_store_request_seconds_count{environment="sites",operation="page"} 4',
  )
  await sites.ask('/private-page', { method: 'DELETE' })
  expect(sites.lines).toEqual([])
})

it('at the level debug every visit has a line with its path, without the query', async () => {
  const { lines } = await visit('debug')
  expect(lines.map(({ level, path, status }) => [level, path, status])).toEqual([
    [20, '/', 200],
    [20, '/private-page', 200],
    [20, '/private-page.html', 308],
    [20, '/private-none', 404],
  ])
  expect(JSON.stringify(lines)).not.toMatch(/s3cret|c00kie|r3ferer/)
})

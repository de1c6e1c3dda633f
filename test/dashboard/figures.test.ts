// The figures of the dashboard, with charts that are accessible without seeing them: the state of the program, its traffic,
// and the visits of a project by programs and by a browser.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isLong } from '../cases.ts'
import { createDataFolder } from '../data-folder.ts'
import { day } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { dashboard, enter, startDashboard, startForAll } from './dashboard-in-test.ts'
import { expectAccessibleAndFitting, open, soon } from './screen.ts'

startForAll()

if (isLong)
  it('plots requests by the minute, for pointer, keyboard and as a table', async () => {
    const { store } = dashboard
    for (let i = 0; i < 12; i++) await store.ask('/pets')
    await store.running.system.maintain()
    dashboard.pass(60_000)
    for (let i = 0; i < 5; i++) await store.ask('/pets')
    await store.running.system.maintain()
    dashboard.pass(60_000)

    const page = await enter('/system?of=production&minutes=60')
    await page.getByText('17 requests, no errors').waitFor()
    const plot = page.getByRole('slider', { name: 'Requests per minute' })
    await plot.focus()
    await soon(() => plot.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d: Requests 5$/)
    await page.keyboard.press('ArrowLeft')
    await soon(() => plot.getAttribute('aria-valuetext')).toMatch(/: Requests 12$/)
    await page.keyboard.press('Home')
    await soon(() => plot.getAttribute('aria-valuetext')).toMatch(/: Requests 0$/)
    const latency = page.getByRole('slider', { name: 'Latency' })
    const box = await latency.boundingBox()
    if (!box) throw new Error('no plot')
    await page.mouse.move(box.x + box.width - 14, box.y + 60)
    await soon(() => latency.innerText()).toMatch(/p95: [\d.]+ ms/)

    await page.getByRole('button', { name: 'Show as table' }).click()
    const table = page.getByRole('table', { name: 'Requests by the minute' })
    const rows = await table.getByRole('row').allInnerTexts()
    expect(rows.slice(1).map((row) => row.split('\t').slice(1, 3))).toEqual([
      ['5', '0'],
      ['12', '0'],
    ])

    // The choice is in the address.
    await page.getByLabel('Service').selectOption('staging')
    await page.waitForURL(/of=staging/)
    await page.getByText('0 requests').waitFor()
  })

it('shows what is running, where, and that it is ready', async () => {
  const page = await enter('/system')
  await page.getByText('4 databases online.').waitFor()
  await page.getByText(`v${process.versions.node}`.slice(1)).waitFor()
  await page.getByText(`${dashboard.origin}/v1`, { exact: true }).waitFor()
  const databases = page.getByRole('region', { name: 'Databases' })
  expect(await databases.getByRole('term').count()).toBe(4)
  expect(await databases.getByText('Online').count()).toBe(4)
  await page.getByRole('region', { name: 'Backups' }).getByText('Off').waitFor()

  // What needs attention is said first.
  await page.getByRole('status').getByText('1 warning: Backups.').waitFor()
  await page.getByText('1 warning.').waitFor()
  const findings = page.getByRole('list', { name: 'Findings' }).getByRole('listitem')
  await soon(() => findings.allInnerTexts()).toEqual([
    expect.stringMatching(
      /^Warning\n+Backups BACKUP_DIR\n+Scheduled backups are off\.\n+Set BACKUP_DIR/,
    ),
  ])
  await page.getByRole('button', { name: 'Show all checks' }).click()
  await findings.filter({ hasText: /Database limits\s*Responds in/ }).waitFor()
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('button', { name: 'Hide passed checks' }).click()
  await soon(() => findings.count()).toBe(1)
})

it('shows the last backup, the next one, and a warning when the last one is old', async () => {
  const folder = await createDataFolder('animal-store-backups-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const scheduled = await startDashboard({ env: { BACKUP_DIR: join(folder, 'new') } })
  onTestFinished(() => scheduled.release())
  const { backups } = scheduled.store.running
  await backups.runNow()
  const other = await scheduled.visitor()
  const its = other.page.getByRole('region', { name: 'Backups' })
  await open(other.page, '/system')
  await its.getByText('Recent').waitFor()
  await its.getByText(/animal-store-scheduled-\d{8}T\d{6}Z\.backup$/).waitFor()

  rmSync(join(folder, 'new'), { recursive: true })
  writeFileSync(join(folder, 'new'), 'no folder')
  scheduled.pass(3 * 86_400_000)
  await backups.runNow()
  const again = await scheduled.visitor()
  await open(again.page, '/system')
  await again.page.getByText('Ready, but without a recent backup').waitFor()
  await again.page.getByText('Last failure', { exact: true }).waitFor()
  await scheduled.leave(other)
  await scheduled.leave(again)
})

if (isLong)
  it('shows the versions that are running', async () => {
    const { clock, place } = dashboard.store
    const page = await enter('/system')
    const processes = page.getByRole('region', { name: 'Processes' })
    expect(await processes.getByRole('definition').allInnerTexts()).toEqual([
      expect.stringMatching(/^1 process\s+Version \S+\s+Started /),
    ])

    await query(
      place,
      'limits',
      `insert into processes (id, node, pid, started_at, seen_at, version)
     values ('prc_other', 'other', 1, ${clock.now}, ${clock.now}, '9.9.9')`,
    )
    await page.reload()
    await page.getByText('An upgrade is in progress: 2 versions are running.').waitFor()
    await processes.getByRole('definition').filter({ hasText: '9.9.9' }).waitFor()
  })

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

it('shows views, searches without a result, paths that were not found, and what has changed', async () => {
  const { operator } = dashboard
  const headers = { 'user-agent': userAgent }
  const view = async (path: string, times = 1): Promise<void> => {
    for (let i = 0; i < times; i++) await dashboard.visit('handbook', path, { headers })
  }
  await operator.publish('handbook', { 'index.md': '# Home', 'guide.md': '# Guide' })
  const page = await enter('/projects/handbook/analytics')
  await page.getByText('No views yet').waitFor()
  expect(await page.title()).toBe('Analytics · handbook · Projects · Animal Store')
  await expectAccessibleAndFitting(page)

  // The script of the site reports what was not found.
  const { page: site } = await dashboard.stranger({ userAgent })
  const { httpPort } = dashboard.store.running.config
  await site.goto(`http://handbook.docs.localhost:${httpPort}/guide`)
  await site.keyboard.press('/')
  await site.getByRole('dialog', { name: 'Search' }).waitFor()
  const reported = site.waitForResponse((response) => response.url().includes('nothing-found'))
  await site.keyboard.type('Xylophones')
  expect((await reported).status()).toBe(204)
  await site.keyboard.press('Escape')
  const answered = site.waitForResponse((response) => response.url().includes('helpful'))
  await site.getByRole('button', { name: 'No', exact: true }).click()
  expect((await answered).status()).toBe(204)
  await site.context().close()
  await view('/')
  await view('/guide', 2)
  await view('/gone')
  const referer = 'https://news.example.com/item?id=1'
  await dashboard.visit('handbook', '/guide', { headers: { ...headers, referer } })

  await page.reload()
  const table = (name: string, on = page) => on.getByRole('table', { name })
  await table('Pages').getByRole('row', { name: '/guide 4', exact: true }).waitFor()
  await table('Pages').getByRole('row', { name: '/ 1', exact: true }).waitFor()
  await table('Sources').getByRole('row', { name: 'news.example.com 1' }).waitFor()
  await table('Sources').getByRole('row', { name: 'Direct 4' }).waitFor()
  await table('Searches without a result').getByRole('row', { name: 'xylophones 1' }).waitFor()
  await table('Not-found paths').getByRole('row', { name: '/gone 1' }).waitFor()
  const answers = table('Was this page helpful?')
  await answers.getByRole('row', { name: '/guide 0 yes, 1 no 1' }).waitFor()
  const plot = page.getByRole('slider', { name: 'Views per day' })
  await plot.focus()
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 5$/)
  await page.keyboard.press('ArrowLeft')
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 0$/)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await table('Views by day').getByRole('row', { name: / 5$/ }).waitFor()
  await expectAccessibleAndFitting(page)
  await page.getByLabel('Period').selectOption('7')
  await page.waitForURL('**/analytics?days=7')
  await page.getByText('None in the 7 days before').waitFor()
  await page.getByLabel('Period').selectOption('365')
  await page.getByText('The months before are not kept').waitFor()
  expect(await table('Pages').getByRole('columnheader').allInnerTexts()).toEqual(['Page', 'Views'])

  // More and less than before is said in words.
  dashboard.pass(8 * day)
  await operator.signIn()
  await view('/', 8)
  await view('/guide')
  const visitor = await dashboard.visitor()
  const { page: later } = visitor
  await open(later, '/projects/handbook/analytics?days=7')
  await later.getByRole('status').getByText('80% more than in the 7 days before').waitFor()
  const row = (name: string) => table('Pages', later).getByRole('row', { name })
  await row('/ 8 700% more than in the 7 days before').waitFor()
  await row('/guide 1 75% less than in the 7 days before').waitFor()
  const compared = later.getByRole('slider', { name: 'Views per day' })
  await compared.focus()
  expect(await compared.getAttribute('aria-valuetext')).toMatch(/: Views 9, The 7 days before 0$/)
  await later.keyboard.press('ArrowLeft')
  expect(await compared.getAttribute('aria-valuetext')).toMatch(/: Views 0, The 7 days before 5$/)
  await later.getByRole('button', { name: 'Show as table' }).click()
  for (const name of [/ 9 0$/, / 0 5$/])
    await table('Views by day', later).getByRole('row', { name }).waitFor()

  // What fails can be tried again.
  const failing = '**/visits?days=90'
  const refused: number[] = []
  await later.route(failing, (route) => {
    refused.push(500)
    return route.fulfill({ status: 500, json: {} })
  })
  await later.getByLabel('Period').selectOption('90')
  await later.getByRole('button', { name: 'Try again' }).waitFor()
  await expectAccessibleAndFitting(later)
  await later.unroute(failing)
  await later.getByRole('button', { name: 'Try again' }).click()
  await row('/guide 5').waitFor()
  await dashboard.leave(visitor, refused)
})

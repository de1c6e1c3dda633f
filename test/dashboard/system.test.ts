// The system page of the dashboard: facts, and charts that are accessible without seeing them.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isLong } from '../cases.ts'
import { createDataFolder } from '../data-folder.ts'
import { query } from '../query.ts'
import { dashboard, enter, open, soon, startDashboard, startForAll } from './dashboard-in-test.ts'

startForAll()

if (isLong)
  it('plots requests by the minute, for pointer, keyboard and as a table', {
    timeout: 120_000,
  }, async () => {
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

// Members of a project in the dashboard, only through the user interface.

import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  open,
  rowOf,
  startDashboard,
} from './dashboard-in-test.ts'

const shots = process.env.SHOTS

async function look(page: Page, name: string): Promise<void> {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
}

let dashboard: DashboardInTest
beforeAll(async () => {
  dashboard = await startDashboard()
  await dashboard.operator.create('handbook', 'Handbook')
})
afterAll(async () => {
  await dashboard?.release()
})

if (isLong)
  it('are invited, made viewers and removed', async () => {
    const member = await dashboard.member()
    const { email } = member.account
    const { page } = await dashboard.visitor()
    const dialog = page.getByRole('dialog')
    await open(page, '/projects/handbook/settings/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByLabel('Email').fill(email)
    await expectAccessibleAndFitting(page)
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('heading', { name: 'Invitations' }).waitFor()

    const received = await member.ask('/account/project-invitations')
    const { items } = received.json as { items: { id: string }[] }
    const path = `/account/project-invitations/${items[0]?.id}/accept`
    expect((await member.ask(path, { method: 'POST' })).status).toBe(204)
    await open(page, '/projects/handbook/settings/members')
    const row = rowOf(page, email)
    await row.getByRole('button', { name: `More for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Make viewer' }).click()
    await row.getByText('Viewer').waitFor()
    await expectAccessibleAndFitting(page)
    await row.getByRole('button', { name: `More for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await member.ask('/projects/handbook')).status).toBe(404)
  })

it('accept an invitation, see what they may change, and leave', async () => {
  const member = await dashboard.member()
  const body = { email: member.account.email, role: 'viewer' }
  await dashboard.operator.ask('/projects/handbook/invitations', { body })
  const { page } = await dashboard.visitor({}, member)
  await open(page, '/projects')
  await expectAccessibleAndFitting(page)
  await page.getByRole('button', { name: 'Accept Handbook' }).press('Enter')
  await page.getByText('You are a viewer').waitFor()
  await open(page, '/projects/handbook/deploys')
  expect(await page.getByRole('button', { name: 'Deploy' }).count()).toBe(0)
  await open(page, '/projects/handbook/settings/general')
  await page.getByText('Only the owner and editors of Handbook can').waitFor()
  await open(page, '/projects/handbook/settings/members')
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByText('You left Handbook').waitFor()
  expect((await member.ask('/projects/handbook')).status).toBe(404)
})

it('become the owner of a project that is offered to them', async () => {
  const member = await dashboard.member()
  const { email } = member.account
  await dashboard.operator.create('guide', 'Guide')
  const owner = await dashboard.visitor({ colorScheme: 'light' })
  const { page } = owner
  await open(page, '/projects/guide/settings/danger')
  await page.getByText('This project has no members.').waitFor()
  await expectAccessibleAndFitting(page)
  await dashboard.operator.addMember('guide', member, 'editor')
  await page.reload()
  await page.getByRole('button', { name: 'Transfer' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${email} finds the offer under Projects`).waitFor()
  await expectAccessibleAndFitting(page)
  await look(page, 'offer')
  await dialog.getByRole('button', { name: 'Offer project' }).click()
  await page.getByText('The offer expires').waitFor()
  await look(page, 'offered')
  await expectAccessibleAndFitting(page)

  const heir = await dashboard.visitor({ ...phone, colorScheme: 'dark' }, member)
  await open(heir.page, '/projects')
  await heir.page.getByText('offers you the project Guide').waitFor()
  await look(heir.page, 'received')
  await expectAccessibleAndFitting(heir.page)
  await heir.page.getByRole('button', { name: 'Accept Guide' }).click()
  await heir.page.getByRole('dialog').getByText('count towards your plan').waitFor()
  await look(heir.page, 'accept')
  await expectAccessibleAndFitting(heir.page)
  await heir.page.getByRole('button', { name: 'Accept project' }).click()
  await heir.page.getByText('You are now the owner of Guide.').waitFor()
  const { role } = (await member.ask('/projects/guide')).json as { role: string }
  expect(role).toBe('owner')
  await dashboard.leave(owner)
  await dashboard.leave(heir)
})

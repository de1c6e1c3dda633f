// Webhooks in the dashboard, only through the user interface, with a receiver whose responses the test decides.
import { expect, it, onTestFinished } from 'vitest'
import { accept, answerWith, startReceiver } from '../webhooks/receiver.ts'
import { endDialog, notice, open, soon, startDashboard } from './dashboard-in-test.ts'

it('is created, tested, sends an event, redelivers it, is disabled and deleted', {
  timeout: 120_000,
}, async () => {
  const dashboard = await startDashboard({ env: { WEBHOOK_ALLOW: '127.0.0.0/8' } })
  onTestFinished(() => dashboard.release())
  const receiver = await startReceiver(answerWith(500))
  const visitor = await dashboard.visitor()
  const { page } = visitor
  const dialog = page.getByRole('dialog')
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const choose = async (item: string): Promise<void> => {
    await button('More for Warehouse').click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  await open(page, '/store/staging/webhooks')
  await button('Create webhook').click()
  await dialog.getByLabel('URL').fill('http://192.0.2.1/')
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  const address = dialog.getByLabel('URL')
  await soon(() => address.getAttribute('aria-invalid')).toBe('true')
  await address.fill(receiver.url)
  await dialog.getByLabel('Label').fill('Warehouse')
  await dialog.getByLabel('Selected:').check()
  await dialog.getByLabel('Animal added').check()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  expect(await dialog.locator('[data-secret]').innerText()).toMatch(/^whsec_/)
  await endDialog(page)

  await button('Test Warehouse').click()
  await notice(page, /^The test of Warehouse failed: .*500/).waitFor()
  await dashboard.store.askStaging('/pets', { body: { name: 'Rex', categoryId: 1 } })
  await receiver.took(2)
  await button(/^Warehouse/).click()
  await button(/^pet\.created Pending/).click()
  await page.getByText(/500 in \d+ ms/).waitFor()

  receiver.reply = accept
  await button('Retry now').click()
  await receiver.took(3)
  await button(/^pet\.created Delivered/).waitFor()
  await page.getByText(/^Answered 204 in \d+ ms/).waitFor()
  expect(receiver.received.map(({ type }) => type)).toEqual([
    'webhook.test',
    'pet.created',
    'pet.created',
  ])

  await choose('Pause')
  await notice(page, 'Warehouse is paused.').waitFor()
  await button('Undo').click()
  await button(/^Warehouse Active/).waitFor()
  await choose('Delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  await dashboard.leave(visitor, [400])
})

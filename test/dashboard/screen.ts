// What is on a page of the dashboard, and the checks for every page.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findAccessibilityProblems } from '../browser/axe.ts'

/** Opens a page and waits until its content is shown. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

/** No accessibility problems, on the whole page or in what `within` selects, and not wider than the window. */
export async function expectAccessibleAndFitting(page: Page, within?: string): Promise<void> {
  expect(await findAccessibilityProblems(page, undefined, within)).toEqual([])
  const overhang = 'document.documentElement.scrollWidth - innerWidth'
  expect(await page.evaluate<number>(overhang)).toBeLessThanOrEqual(0)
}

/** The row of a table of records that has this text. */
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** The notification in the corner. */
export const notice = (page: Page, text: string | RegExp) =>
  page.getByRole('status').getByText(text)

/** Retries the expectation for some time, because the machine may be busy. */
export const soon = <Value>(shown: () => Value | Promise<Value>) => expect.poll(shown)

/** Closes a dialog with its button, and waits until it is gone. */
export async function endDialog(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
}

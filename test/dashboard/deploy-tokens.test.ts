// Deploy tokens and site tokens in the dashboard, only through the user interface. The commands that it shows are run as they are printed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import {
  dashboard,
  endDialog,
  enter,
  expectAccessibleAndFitting,
  notice,
  open,
  rowOf,
  startForAll,
} from './dashboard-in-test.ts'

startForAll({}, async () => {
  await dashboard.operator.create('handbook', 'Handbook')
})

/** Runs commands as a user pastes them, in a folder with `docs`. */
async function run(commands: string, docs: Record<string, string>) {
  const cwd = await mkdtemp(join(tmpdir(), 'snippet-'))
  await mkdir(join(cwd, 'docs'))
  for (const [name, content] of Object.entries(docs))
    await writeFile(join(cwd, 'docs', name), content)
  const env = { PATH: process.env.PATH, NO_PROXY: '*' }
  const shell = spawn('bash', ['-c', commands], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(shell, 'exit')
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  return { status: (await exited)[0] as number, stdout, stderr }
}

it('are named, created, and deploy with the commands as they are printed', {
  timeout: 120_000,
}, async () => {
  const page = await enter('/projects/handbook/settings/tokens', { refused: [400] })
  const dialog = page.getByRole('dialog')
  await page.getByRole('heading', { name: 'No deploy tokens yet' }).waitFor()
  await page.keyboard.press('n')
  // A token is named before it is created.
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const name = dialog.getByLabel('Name')
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('GitHub Actions')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = await dialog.locator('[data-secret]').innerText()
  await expectAccessibleAndFitting(page)
  const snippet = async (tool: string): Promise<string> => {
    await dialog.getByRole('tab', { name: tool }).click()
    return await dialog.getByRole('tabpanel').locator('pre').innerText()
  }

  const curl = await snippet('curl')
  const done = await run(curl, { 'index.md': '# Deployed by curl' })
  expect(done).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('"live"') })
  expect((await dashboard.visit('handbook')).text).toContain('Deployed by curl')
  // A deploy that fails fails the pipeline, and says why. So does a token that is refused.
  const broken = await run(curl, { 'index.md': '# A', 'openapi.yaml': 'openapi: [' })
  expect(broken.status).toBe(1)
  expect(broken.stderr).toContain('"file":"openapi.yaml"')
  const refused = await run(curl.replace(token, `${token}x`), { 'index.md': '# A' })
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('"invalid_token"')

  // What a runner of GitHub and of GitLab executes: the block below `run: |` and `script: - |`.
  for (const [tool, start] of [
    ['GitHub Actions', 'run: |'],
    ['GitLab CI', '- |'],
  ] as const) {
    const file = await snippet(tool)
    expect(file).not.toContain(token)
    const block = file.slice(file.indexOf(`${start}\n`) + start.length + 1)
    const script = block.replaceAll(/^ +/gm, '')
    const made = await run(`export ANIMAL_STORE_TOKEN=${token}\n${script}`, {
      'index.md': `# By ${tool}`,
    })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect((await dashboard.visit('handbook')).text).toContain(`By ${tool}`)
  }

  await dialog.getByRole('button', { name: 'Copy the deploy token' }).click()
  await endDialog(page)
  expect(await page.content()).not.toContain(token)
  await open(page, '/account')
  const row = rowOf(page, 'GitHub Actions')
  expect(await row.innerText()).toMatch(/project:deploy\s+Handbook\s+(just now|\d+ seconds ago)/)
  await row.getByRole('link', { name: 'Handbook' }).click()
  await page.getByRole('heading', { level: 1, name: 'Handbook' }).waitFor()
  await page.getByRole('button', { name: 'Revoke GitHub Actions' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await notice(page, 'GitHub Actions is revoked.').waitFor()
  expect((await dashboard.anonymous('/projects/handbook/deploys', { token })).status).toBe(401)
})

if (isLong)
  it('site tokens open a members-only site for programs, with the command as it is printed', {
    timeout: 120_000,
  }, async () => {
    await dashboard.operator.deploy('handbook', archiveOf({ 'index.html': 'for members' }))
    const path = '/projects/handbook/visibility'
    await dashboard.operator.ask(path, { method: 'PUT', body: { visibility: 'members' } })
    for (const [colorScheme, device] of [
      ['light', {}],
      ['dark', phone],
    ] as const) {
      const page = await enter('/projects/handbook/settings/site', { ...device, colorScheme })
      const dialog = page.getByRole('dialog')
      await page.getByRole('link', { name: 'site token' }).press('Enter')
      await page.getByRole('heading', { name: 'No site tokens yet' }).waitFor()
      await expectAccessibleAndFitting(page)
      await page.getByRole('button', { name: 'Create site token' }).press('Enter')
      await dialog.getByLabel('Name').fill('Link checker')
      await dialog.getByLabel('Name').press('Enter')
      const token = await dialog.locator('[data-secret]').innerText()
      const command = await dialog.locator('pre').last().innerText()
      expect(command).toContain(token)
      await expectAccessibleAndFitting(page)
      const done = await run(command.replace('curl ', 'curl -sS '), {})
      expect(done).toMatchObject({ status: 0, stderr: '', stdout: 'for members' })
      await dialog.getByRole('button', { name: 'Copy the site token' }).click()
      await endDialog(page)
      await page.reload()
      const row = rowOf(page, 'Link checker')
      expect(await row.innerText()).not.toContain('Never')
      await page.getByRole('button', { name: 'Revoke Link checker' }).click()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await notice(page, 'Link checker is revoked.').waitFor()
      const refused = await run(command.replace('curl ', 'curl -sS -f '), {})
      expect(refused.stderr).toContain('401')
    }
  })

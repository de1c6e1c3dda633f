// `animal-store visibility`, `transfer` and `site-settings`, to a server and on this machine.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { type CommandResult, runCommand } from '../served-process.ts'
import { archiveOf } from './archive-of.ts'
import { type Person, type PublishingInTest, startPublishing } from './publishing-in-test.ts'

let home: string
let publishing: PublishingInTest
let owner: Person
let server: Record<string, string>

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'animal-store-test-'))
  publishing = await startPublishing('sqlite', { now: Date.now() })
  owner = await publishing.member()
  const { httpPort } = publishing.store.running.config
  server = {
    ANIMAL_STORE_URL: `http://localhost:${httpPort}`,
    ANIMAL_STORE_TOKEN: await owner.token(),
  }
})
afterAll(async () => {
  await publishing.release()
  await rm(home, { recursive: true })
})

/** On the database of the running server. */
function run(words: string[], input = ''): Promise<CommandResult> {
  const { httpPort } = publishing.store.running.config
  return runCommand(publishing.store.place, words, { HTTP_PORT: String(httpPort) }, input)
}
const atServer = (...words: string[]) => runCommand(publishing.store.place, words, server)

describe('visibility', () => {
  const slug = 'seen'
  const set = (words: string[], input = '') =>
    run(['visibility', 'set', ...words, '--project', slug], input)
  const visit = async () => (await publishing.visit(slug)).status

  beforeAll(async () => {
    await owner.create(slug)
    await owner.deploy(slug, archiveOf({ 'index.html': 'hello' }))
  })

  it('is changed at once, with a password from standard input or a file', async () => {
    expect(await visit()).toBe(200)
    const done = await set(['password', '--password-file', '-'], 'a quiet river at dawn\n')
    expect(done).toMatchObject({ status: 0, stderr: '' })
    expect(done.stdout).toMatch(/^Visitors of http:\/\/seen\.\S+ have to enter the password\.\n$/)
    expect(await visit()).toBe(401)
    const shown = await atServer('visibility', 'show', '--project', slug, '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({ slug, visibility: 'password' })
    const file = join(home, 'password.txt')
    await writeFile(file, 'another river\n')
    expect(await set(['password', '--password-file', file])).toMatchObject({ status: 0 })
    expect((await set(['members'])).stdout).toMatch(/^Only members of the project can see http/)
    expect(await visit()).toBe(401)
    expect((await set(['public'])).stdout).toMatch(/^Everyone can see http/)
    expect(await visit()).toBe(200)
  })

  it.each([
    [['hidden'], 2, 'the visibility accepts public, password, or members'],
    [['public', '--password-file', '-'], 2, '--password-file is only for the visibility password'],
    [['password', '--password', 'secret'], 2, "Unknown option '--password'"],
    [['password'], 1, 'password is required: the site has none yet.'],
    [['password', '--password-file', '-'], 1, 'password '],
  ])('refuses %j', async (words, status, message) => {
    const refused = await set(words)
    expect(refused).toEqual({ status, stdout: '', stderr: expect.stringContaining(message) })
    expect(await visit()).toBe(200)
  })

  it('is not changed with an access token', async () => {
    const refused = await atServer('visibility', 'set', 'members', '--project', slug)
    const stderr = expect.stringContaining('access tokens cannot do this')
    expect(refused).toEqual({ status: 2, stdout: '', stderr })
    expect(await visit()).toBe(200)
  })
})

describe('transfer', () => {
  const slug = 'given'
  let heir: Person
  const transfer = (...words: string[]) => run(['transfer', ...words, '--project', slug])
  const shown = async () =>
    JSON.parse((await atServer('transfer', 'show', '--project', slug, '--json')).stdout)

  beforeAll(async () => {
    await owner.create(slug)
    heir = await publishing.member()
    await owner.addMember(slug, heir, 'viewer')
  })

  it('is offered, canceled, declined and accepted', async () => {
    const { email } = heir.account
    const none = { owner: { email: owner.account.email }, offer: null }
    expect(await shown()).toMatchObject(none)
    const offered = await transfer('offer', email)
    expect(offered).toMatchObject({ status: 0, stderr: '' })
    expect(offered.stdout).toMatch(/^given is offered to member-\d+@example\.com until \d{4}-/)
    expect(await shown()).toMatchObject({ offer: { email, role: 'owner' } })
    expect((await transfer('show')).stdout).toContain(`Offered to ${email} until `)
    expect(await transfer('cancel')).toMatchObject({ status: 0 })
    expect(await shown()).toMatchObject(none)
    const again = await transfer('cancel')
    expect(again).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining('not offered') })

    await transfer('offer', email)
    expect(await transfer('decline', email)).toMatchObject({ status: 0 })
    expect(await shown()).toMatchObject(none)
    expect(await transfer('accept', email)).toMatchObject({ status: 1, stdout: '' })

    await transfer('offer', email)
    const accepted = await transfer('accept', email)
    expect(accepted).toEqual({ status: 0, stderr: '', stdout: `${email} owns given now.\n` })
    expect(await shown()).toMatchObject({ owner: { email }, offer: null })
    expect((await heir.ask(`/projects/${slug}`)).json).toMatchObject({ role: 'owner' })
  })

  it('refuses other accounts, and access tokens', async () => {
    const other = await publishing.member()
    const refused = await transfer('offer', other.account.email)
    const stderr = expect.stringContaining('is not a member of given')
    expect(refused).toEqual({ status: 1, stdout: '', stderr })
    const { email } = owner.account
    const remote = await atServer('transfer', 'offer', email, '--project', slug)
    expect(remote).toMatchObject({ status: 2, stdout: '' })
    expect(remote.stderr).toContain('access tokens cannot do this')
  })
})

describe.each(cases(['a server', 'this machine'], (each) => each === 'a server'))(
  'site settings on %s',
  (place) => {
    const slug = place === 'a server' ? 'settings-remote' : 'settings-local'
    const settings = (words: string[], input = '') => {
      const all = ['site-settings', ...words, '--project', slug]
      return place === 'a server'
        ? runCommand(publishing.store.place, all, server, input)
        : run(all, input)
    }
    const stored = async () => JSON.parse((await settings(['get', '--json'])).stdout)

    beforeAll(async () => {
      await owner.create(slug)
      await owner.deploy(slug, archiveOf({ 'index.md': '# Hello' }))
    })

    it('are changed one by one or from a file, and built', async () => {
      const done = await settings(['set', '--title', 'Animals: a guide', '--colour', '#1c5f45'])
      expect(done).toMatchObject({ status: 0, stderr: '' })
      const number = Number(/^The settings are saved\. Deploy (\d+) applies/.exec(done.stdout)?.[1])
      expect(await owner.finished(slug, number)).toMatchObject({ state: 'live' })
      expect((await publishing.visit(slug)).text).toContain('Animals: a guide')
      const before = await stored()
      expect(before).toMatchObject({ title: 'Animals: a guide', colour: '#1c5f45', logo: null })
      const yaml = (await settings(['get'])).stdout
      expect(yaml).toContain('title: "Animals: a guide"\n')
      await settings(['set', '--title', '', '--colour', ''])
      expect(await stored()).toEqual({ ...before, title: null, colour: null })
      expect(await settings(['set', '--file', '-'], yaml)).toMatchObject({ status: 0, stderr: '' })
      expect(await stored()).toEqual(before)
      const json = JSON.stringify({ navigation: [{ title: 'Start', pages: ['index.md'] }] })
      expect(await settings(['set', '--file', '-'], json)).toMatchObject({ status: 0, stderr: '' })
      expect(await stored()).toMatchObject({ ...before, navigation: JSON.parse(json).navigation })
    })

    it('take a logo and a favicon, by their content', async () => {
      const file = join(home, 'logo.txt')
      await writeFile(file, '<svg xmlns="http://www.w3.org/2000/svg"/>')
      const done = await settings(['upload', 'logo', file])
      expect(done).toMatchObject({ status: 0, stderr: '' })
      const said = /^The logo is uploaded \(SVG\)\. Deploy (\d+) applies it\.\n$/.exec(done.stdout)
      expect(await owner.finished(slug, Number(said?.[1]))).toMatchObject({ state: 'live' })
      expect((await publishing.visit(slug)).text).toContain('src="/_site/logo-')
      const refused = await settings(['upload', 'favicon', '-'], '<p>')
      const stderr = expect.stringContaining(
        'The file is no image, or it is damaged. Use SVG, PNG, or ICO.',
      )
      expect(refused).toEqual({ status: 1, stdout: '', stderr })
      expect(await settings(['upload', 'picture', file])).toMatchObject({ status: 2, stdout: '' })
      const removed = await settings(['remove-upload', 'logo'])
      expect(removed.stdout).toMatch(/^The uploaded logo is removed\. Deploy \d+ applies it\.\n$/)
      expect(await settings(['remove-upload', 'logo'])).toMatchObject({ status: 1, stdout: '' })
    })

    it.each([
      [[], '', 2, 'give --file or a setting'],
      [['--file', '-', '--title', 'x'], 'title: y', 2, '--file excludes'],
      [['--file', '-'], 'title: [', 1, 'is not valid YAML or JSON'],
      [['--file', '-'], '- title', 1, 'must contain fields'],
      [['--file', '-'], 'colours: red', 1, 'there is no setting "colours"'],
      [['--colour', 'red'], '', 1, 'colour'],
    ])('refuse %j %s', async (words, input, status, message) => {
      // The deploy of an earlier change may become live meanwhile.
      const read = async () => {
        const { json } = await owner.ask(`/projects/${slug}/site-settings`)
        return (json as { settings: object }).settings
      }
      const before = await read()
      const refused = await settings(['set', ...words], input)
      expect(refused).toEqual({ status, stdout: '', stderr: expect.stringContaining(message) })
      expect(await read()).toEqual(before)
    })
  },
)

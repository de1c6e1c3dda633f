// `animal-store deploy --preview`, to a server and on this machine.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { machineClock } from '../running-store.ts'
import { type CommandResult, runCommand } from '../served-process.ts'
import { type PublishingInTest, startPublishing } from './publishing-in-test.ts'

let home: string
let publishing: PublishingInTest
let folder: string
let secret: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'animal-store-test-'))
  folder = join(home, 'site')
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), 'draft')
  secret = join(home, 'password.txt')
  await writeFile(secret, 'a quiet river at dawn\n')
  publishing = await startPublishing('sqlite', { clock: machineClock })
})
afterAll(async () => {
  await publishing.release()
  await rm(home, { recursive: true })
})

describe.each(cases(['a server', 'this machine']))('previews on %s', (place) => {
  let nowhere: TestDatabase
  let run: (...words: string[]) => Promise<CommandResult>
  const slug = place === 'a server' ? 'remote' : 'local'

  beforeAll(async () => {
    const member = await publishing.member()
    if (slug === 'remote') await member.create(slug)
    nowhere = await createTestDatabase('sqlite')
    const { httpPort } = publishing.store.running.config
    const server = {
      ANIMAL_STORE_URL: `http://localhost:${httpPort}`,
      ANIMAL_STORE_TOKEN: await member.token(),
    }
    run = (...words) =>
      slug === 'remote'
        ? runCommand(nowhere, words, server)
        : runCommand(publishing.store.place, words, { HTTP_PORT: String(httpPort) })
    if (slug === 'local') await run('deploy', folder, '--project', slug, '--create')
  })
  afterAll(() => nowhere.release())

  it('are deployed with a name, which may be that of a branch', async () => {
    const done = await run('deploy', folder, '--project', slug, '--preview', 'feature/New_Start')
    expect(done).toMatchObject({ status: 0, stderr: '' })
    expect(done.stdout).toMatch(
      /^Deploy \d is at the preview feature-new-start \(1 file, \d sent\): http:\/\/feature-new-start--/,
    )
    expect((await publishing.visit(`feature-new-start--${slug}`)).text).toBe('draft')
  })

  it('get an address that nobody guesses without a name, wherever the option stands', async () => {
    const one = await run('deploy', '--project', slug, '--json', '--preview', folder)
    const two = await run('deploy', folder, '--preview', '--project', slug, '--json')
    const names = [one, two].map(({ stdout }) => JSON.parse(stdout).preview as string)
    expect(names).toEqual([0, 1].map(() => expect.stringMatching(/^[a-z0-9]{12}$/)))
    expect(names[0]).not.toBe(names[1])
    const { address } = JSON.parse(two.stdout)
    expect(address).toContain(`//${names[1]}--${slug}.docs.localhost:`)
  })

  it('have a password', async () => {
    const words = ['--project', slug, '--preview', 'branch', '--password-file', secret]
    expect(await run('deploy', folder, ...words)).toMatchObject({ status: 0, stderr: '' })
    expect((await publishing.visit(`branch--${slug}`)).status).toBe(401)
  })

  it.each(
    cases([
      [['--password-file', 'x'], '--password-file requires --preview'],
      [['--preview', 'ü'], '--preview needs a name of at least 3 letters and digits'],
    ]),
  )('refuse %j', async (words, message) => {
    const refused = await run('deploy', folder, '--project', slug, ...words)
    expect(refused).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
  })
})

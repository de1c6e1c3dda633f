// `animal-store deploy` as a person and a build server use it, to a remote server and on this machine: what it prints
// and sends, and the error line and exit status of each failure.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeFailure, readInput } from '#cli/command-line/command.ts'
import { commands } from '#cli/commands.ts'
import { cases, isLong } from '../cases.ts'
import { anyEngine, createTestDatabase, type TestDatabase } from '../database.ts'
import { nodeEnvironment, program } from '../program.ts'
import { machineClock } from '../running-store.ts'
import { type CommandResult, runCommand } from '../served-process.ts'
import { archiveOf, zipOf } from './archive-of.ts'
import { startBusyProxy } from './busy-proxy.ts'
import { type Files, type Person, startPublishing } from './publishing-in-test.ts'
import { noOrphans } from './publishing-rows.ts'
import { publishing, rows, serving } from './serving.ts'

const site: Files = {
  'index.html': '<h1>Hello</h1>',
  'a/page.html': 'a page',
  'copy.html': 'a page',
}
const broken: Files = { 'index.md': '# Hello', 'site.yaml': 'language: en\ntitle: [a]\n' }

let home: string
let folders = 0

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'animal-store-test-'))
})
afterAll(() => rm(home, { recursive: true }))

async function folderOf(files: Files): Promise<string> {
  const folder = join(home, `site-${++folders}`)
  await mkdir(folder)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(home, `${++folders}-${name}`)
  await writeFile(file, content)
  return file
}

const project = ['--project', 'docs']
const at = async (files: Files, ...more: string[]) => [await folderOf(files), ...project, ...more]
const to = async (...more: string[]) => [await folderOf(site), ...more]
const file = async (name: string, content: string | Uint8Array) => [
  await fileOf(name, content),
  ...project,
]

async function folderWith(change: (folder: string) => unknown): Promise<string[]> {
  const folder = await folderOf(site)
  await change(folder)
  return [folder, ...project]
}
const link = (folder: string) => symlink('/etc/passwd', join(folder, 'a/secret.txt'))
const pipe = (folder: string) => spawnSync('mkfifo', [join(folder, 'pipe')])
const film = async (folder: string) => {
  await writeFile(join(folder, 'film.mp4'), '')
  await truncate(join(folder, 'film.mp4'), 51 * 1024 * 1024)
}

interface Outcome {
  /** Default: 1. */
  status?: number
  env?: Record<string, string>
}
const withToken = (token: string) => ({ env: { ANIMAL_STORE_TOKEN: token } })
const withUrl = (url: string) => ({ env: { ANIMAL_STORE_URL: url } })
const noServer = { ANIMAL_STORE_URL: '', ANIMAL_STORE_TOKEN: '' }
const ofOther = ['--project', 'of-the-operator']
const clashing = { ...site, 'A.html': '1', 'a.html': '2' }
const hostile = zipOf({ '../x.html': 'x' })
/** Of a command: its arguments, the error line, and what else differs. */
const failures: [what: string, () => string[] | Promise<string[]>, line: RegExp, Outcome?][] = [
  ['no folder given', () => project, /^\[?FOLDER\]? is missing/, { status: 2 }],
  ['no project given', () => to(), /^--project SLUG is missing/, { status: 2 }],
  ['no such folder', () => ['/no/such', ...project], /^\/no\/such does not exist$/],
  ['an empty folder', () => at({}), /has no files$/],
  ['a link inside', () => folderWith(link), /^a\/secret\.txt is a symbolic link: /],
  ['a pipe inside', () => folderWith(pipe), /^pipe is not a regular file/],
  ['a large file', () => folderWith(film), /^film\.mp4 is larger than 52428800 bytes$/],
  ['names that clash', () => at(clashing), /"A\.html" and "a\.html" differ only in upper/],
  ['an invalid name', () => at({ 'a\\b.html': '1' }), /^a\\b\.html: The path contains a backslash/],
  ['no archive', () => file('notes.txt', 'hello'), /^The request body is not a \.zip or \.tar\.gz/],
  ['a hostile archive', () => file('a.zip', hostile), /^\.\.\/x\.html: The path leaves its folder/],
  ['no such project', () => to('--project', 'none'), /^there is no project none: /],
  ["somebody else's project", () => to(...ofOther), /^there is no project of-the-operator: /],
  ['a slug of others', () => to(...ofOther, '--create'), /^The slug of-the-operator is already in/],
  ['no slug', () => to('--project', 'No Slug', '--create'), /slug must have 1 to 63 lower-case/],
  ['a wrong token', () => at(site), /access token/, withToken('as_pat_wrong')],
  ['no token', () => at(site), /^--token is missing/, { status: 2, ...withToken('') }],
  ['no URL', () => at(site), /^--url accepts an http/, { status: 2, ...withUrl('localhost:8080') }],
  [
    'an unreachable server',
    () => at(site),
    /^http:\/\/127\.0\.0\.1:9 does not answer: check the address/,
    withUrl('http://127.0.0.1:9'),
  ],
  ['a page with a fault', () => at(broken), /^deploy \d+ failed: site\.yaml:2: \S/],
  ['nothing to publish', () => at({ 'a.txt': 'x' }), /^deploy \d+ failed: Nothing to publish/],
  [
    'a token without a server',
    () => at(site, '--token', 'x'),
    /^--token requires --url/,
    { status: 2, env: noServer },
  ],
]

describe('deploy to a server', () => {
  let nowhere: TestDatabase
  let member: Person
  let token: string
  let url: string
  serving('sqlite')
  beforeAll(async () => {
    // The command must not need a database.
    nowhere = await createTestDatabase('sqlite')
    member = await publishing.member()
    await member.create('docs', 'The docs')
    token = await member.token()
    url = `http://localhost:${publishing.store.running.config.httpPort}`
  })
  afterAll(() => nowhere.release())

  const deploy = (words: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
    runCommand(nowhere, ['deploy', ...words], env)
  const remote = (...words: string[]) =>
    deploy(words, { ANIMAL_STORE_URL: url, ANIMAL_STORE_TOKEN: token })

  /** How often each operation was called so far. */
  async function calls(...operations: string[]): Promise<number[]> {
    const text = await publishing.store.running.metrics.registry.metrics()
    return operations.map((name) => {
      const counts = text.matchAll(RegExp(`^\\w+_requests_total{.*"${name}".*} (\\d+)$`, 'gm'))
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
    })
  }

  it('publishes a folder without what should not be published, and prints the address', async () => {
    const secrets = { '.env': 'SECRET=1', '.git/config': 'x', 'node_modules/a/index.js': 'x' }
    const wellKnown = { '.well-known/security.txt': 'Contact: x' }
    const folder = await folderOf({ ...site, ...secrets, ...wellKnown })
    const { httpPort } = publishing.store.running.config
    const words = [folder, '--project', 'docs', '--url', url, '--token', token]
    expect(await deploy(words)).toEqual({
      status: 0,
      stdout: `Deploy 1 is live (4 files, 3 sent): http://docs.docs.localhost:${httpPort}/\n`,
      stderr: '',
    })
    expect((await publishing.visit('docs', '/a/page')).text).toBe('a page')
    expect((await publishing.visit('docs', '/.env')).status).toBe(404)
    expect((await publishing.visit('docs', '/.well-known/security.txt')).status).toBe(200)
    const shown = await member.read('/projects/docs/deploys/1')
    expect(shown).toMatchObject({ source: 'folder', createdBy: member.account.id })
  })

  it('sends only missing files', async () => {
    const files: Files = { ...site, 'b.html': 'b', 'c.html': 'c' }
    await remote(await folderOf(files), '--project', 'docs')
    const operations = ['findMissingFiles', 'uploadFile', 'createDeploy']
    const before = await calls(...operations)
    const changed = await folderOf({ ...files, 'c.html': 'changed', 'd.html': 'b' })
    const { stdout } = await remote(changed, '--project', 'docs', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'live',
      sourceFiles: 6,
      sent: 1,
      failure: null,
      address: expect.stringMatching(/^http:\/\/docs\.docs\.localhost:\d+\/$/),
    })
    expect(await calls(...operations)).toEqual(before.map((count) => count + 1))
    expect((await publishing.visit('docs', '/c')).text).toBe('changed')
  })

  if (isLong)
    it('says what changes: the last commit, or a message', async () => {
      const folder = await folderOf({ 'out/index.html': 'from git', 'site.zip': zipOf(site) })
      const git = (...words: string[]): void => {
        const names = ['-c', 'user.name=Olga', '-c', 'user.email=olga@example.com']
        const done = spawnSync('git', ['-C', folder, ...names, ...words], { encoding: 'utf8' })
        expect(done.stderr).toBe('')
      }
      git('init', '-q')
      git('commit', '-q', '--allow-empty', '-m', `Rewrite ${'the guide '.repeat(30)}`, '-m', 'Body')
      const subject = `Rewrite ${'the guide '.repeat(30)}`.slice(0, 199)
      const messageOf = async (...words: string[]): Promise<unknown> => {
        const { stdout } = await remote(...words, '--project', 'docs', '--json')
        return JSON.parse(stdout).message
      }
      expect(await messageOf(join(folder, 'out'))).toBe(`${subject}…`)
      expect(await messageOf(join(folder, 'site.zip'))).toBe(`${subject}…`)
      expect(await messageOf(join(folder, 'out'), '--message', 'Two\nlines')).toBe('Two lines')
      expect(await messageOf(join(folder, 'out'), '--message', '')).toBe(null)
      expect(await messageOf(await folderOf(site))).toBe(null)
    })

  it.each(
    cases([
      ['site.zip', zipOf({ 'index.html': 'from a zip' }), 'from a zip'],
      ['site.tar.gz', archiveOf({ 'site/index.html': 'from a tar' }), 'from a tar'],
    ]),
  )('publishes %s', async (name, bytes, text) => {
    const done = await remote(await fileOf(name, bytes), '--project', 'docs')
    expect(done).toMatchObject({ status: 0, stderr: '' })
    expect(done.stdout).toMatch(/^Deploy \d+ is live \(1 file, 1 sent\): http/)
    expect((await publishing.visit('docs')).text).toBe(text)
  })

  it('creates the project on request', async () => {
    const folder = await folderOf(site)
    expect(await remote(folder, '--project', 'brand-new')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'animal-store: there is no project brand-new: create it in the dashboard, or add --create\n',
    })
    expect((await remote(folder, '--project', 'brand-new', '--create')).status).toBe(0)
    expect((await publishing.visit('brand-new')).text).toBe('<h1>Hello</h1>')
    expect((await remote(folder, '--project', 'brand-new', '--create')).status).toBe(0)
    expect((await member.ask('/projects/brand-new')).json).toMatchObject({
      ownerId: member.account.id,
      liveDeploy: { number: 2 },
    })
  })

  if (isLong)
    it('shows progress on a terminal', async () => {
      const files = Array.from({ length: 400 }, (_, i) => [`p${i}.html`, `page ${i}`])
      const folder = await folderOf({ 'index.html': 'x', ...Object.fromEntries(files) })
      const line = [process.execPath, program, 'deploy', folder, '--project', 'docs']
      const command = line.map((word) => `'${word}'`).join(' ')
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        env: {
          ...{ ...nodeEnvironment, DATA_DIR: nowhere.dataDir },
          ...{ ANIMAL_STORE_URL: url, ANIMAL_STORE_TOKEN: token },
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let shown = ''
      child.stdout.setEncoding('utf8').on('data', (text) => {
        shown += text
      })
      expect(await once(child, 'close')).toEqual([0, null])
      const plain = shown.replaceAll('\r\u001b[K', '<clear>')
      expect(plain).toMatch(/<clear>Reading {2}[█░]{16} {2}\d+ % {2}\d+ files?/)
      expect(plain).toMatch(/<clear>Sending {2}[█░]{16} {2}\d+ %/)
      // The progress bar is gone when the result is shown.
      expect(plain).toMatch(/<clear>Deploy \d+ is live \(401 files, 401 sent\): http\S+\s*$/)
    })

  if (isLong)
    it('retries when the server is busy', async () => {
      const { port, refusals, close } = await startBusyProxy(url)
      const folder = await folderOf({ ...site, 'new.html': 'sent at the second attempt' })
      const done = await deploy([folder, '--project', 'docs', '--json'], {
        ANIMAL_STORE_URL: `http://localhost:${port}`,
        ANIMAL_STORE_TOKEN: token,
      })
      await close()
      expect(done).toMatchObject({ status: 0, stderr: '' })
      expect(JSON.parse(done.stdout)).toMatchObject({ state: 'live' })
      expect(refusals()).toBeGreaterThan(2)
      expect((await publishing.visit('docs', '/new')).text).toBe('sent at the second attempt')
    })

  describe('failures', () => {
    beforeAll(() => publishing.operator.create('of-the-operator'))

    // In this process, which is faster; the tests around these cover the exit of a process.
    it.each(cases(failures))('%s', async (_, words, line, { status = 1, env } = {}) => {
      const environment = { ANIMAL_STORE_URL: url, ANIMAL_STORE_TOKEN: token, ...env }
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
      onTestFinished(() => void vi.unstubAllEnvs())
      const given = await words()
      const failing = async () => {
        const command = commands.find(({ name }) => name === 'deploy')
        return await command?.run(readInput(command, given))
      }
      const failure = await failing().then(
        (done) => expect.unreachable(`ended with ${done}`),
        (error: unknown) => describeFailure(error),
      )
      expect(failure).toMatchObject({ status, message: expect.stringMatching(line) })
      expect(failure.message).not.toMatch(/\n/)
      expect(failure.message).not.toContain(token)
    })

    it('are one line on standard error', async () => {
      expect(await remote(await folderOf({}), ...project)).toEqual({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(/^animal-store: \S+ has no files\n$/),
      })
      expect(await deploy(project)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: 'animal-store: FOLDER is missing (see animal-store deploy --help)\n',
      })
    })

    it('include the reason of a failed deploy as JSON', async () => {
      const { status, stderr, stdout } = await remote(await folderOf(broken), ...project, '--json')
      expect(status).toBe(1)
      expect(JSON.parse(stdout)).toMatchObject({
        state: 'failed',
        failure: { file: 'site.yaml', line: 2, message: expect.any(String) },
      })
      expect(stderr).toMatch(/^animal-store: deploy \d+ failed: site\.yaml:2: /)
    })

    it('include a token without the required scope', async () => {
      const weak = await member.token(['projects:read'])
      const result = await deploy([await folderOf(site), ...project, '--url', url, '--token', weak])
      expect(result).toMatchObject({ status: 1, stdout: '' })
      expect(result.stderr).toContain('lacks the scope deploys:write')
    })
  })
})

describe.each(cases(anyEngine))('deploy on this machine, on %s', (engine) => {
  serving(engine, { clock: machineClock })

  const local = (...words: string[]): Promise<CommandResult> =>
    runCommand(publishing.store.place, ['deploy', ...words])

  it('publishes with a running server, immediately, in a project that operators share', async () => {
    const folder = await folderOf(site)
    expect((await local(folder, '--project', 'ours')).stderr).toMatch(/there is no project ours/)
    const created = await local(folder, '--project', 'ours', '--create')
    expect(created).toMatchObject({ status: 0, stderr: '' })
    expect(created.stdout).toMatch(
      /^Deploy 1 is live \(3 files, 2 sent\): http:\/\/ours\.docs\.localhost/,
    )
    expect((await publishing.visit('ours')).text).toBe('<h1>Hello</h1>')
    expect((await publishing.operator.ask('/projects/ours')).json).toMatchObject({
      ownerId: null,
      liveDeploy: { createdBy: null, source: 'folder' },
    })
    const archive = await fileOf('a.zip', zipOf({ 'index.html': 'from a zip' }))
    expect(await local(archive, '--project', 'ours')).toMatchObject({ status: 0 })
    expect((await publishing.visit('ours')).text).toBe('from a zip')
    const failed = await local(await folderOf(broken), '--project', 'ours')
    expect(failed).toMatchObject({ status: 1, stdout: '' })
    expect(failed.stderr).toMatch(/^animal-store: deploy 3 failed: site\.yaml:2: \S.*\n$/)
    const refused = await fileOf('b.zip', zipOf({ '../x': 'x' }))
    expect((await local(refused, '--project', 'ours')).stderr).toMatch(
      /^animal-store: \.\.\/x: The path leaves its folder.*\n$/,
    )
    const reserved = await local(folder, '--project', 'www', '--create')
    expect(reserved).toMatchObject({ status: 1 })
    expect(await rows.orphans()).toEqual(noOrphans)
    expect((await rows.count()).uploads).toBe(0)
  })

  it('prints what the build found, and fails with --strict', async () => {
    const page = '# Home\n\n[Guide](guide.md) and [API](./api.md)\n'
    const words = [await folderOf({ 'index.md': page, 'guide.md': '# Guide\n' }), '--create']
    const done = await local(...words, '--project', 'reported')
    expect(done.status).toBe(0)
    expect(done.stdout).toMatch(/^Deploy 1 is live/)
    expect(done.stderr).toContain('warning: index.md:3: There is no page or file ./api.md.')
    expect(done.stderr).toContain('\n  [Guide](guide.md) and [API](./api.md)\n')
    const strict = await local(...words, '--project', 'reported', '--strict')
    expect(strict).toMatchObject({ status: 1, stdout: '' })
    expect(strict.stderr).toMatch(/animal-store: deploy 2 failed: .*The deploy is strict\.\n$/)
  })

  describe.each(cases(['a server', 'this machine']))('previews on %s', (place) => {
    let run: (...words: string[]) => Promise<CommandResult>
    let nowhere: TestDatabase
    let folder: string
    const slug = place === 'a server' ? 'remote' : 'local'

    beforeAll(async () => {
      folder = await folderOf({ 'index.html': 'draft' })
      nowhere = await createTestDatabase('sqlite')
      const member = await publishing.member()
      const { httpPort } = publishing.store.running.config
      const env = {
        ANIMAL_STORE_URL: `http://localhost:${httpPort}`,
        ANIMAL_STORE_TOKEN: await member.token(),
      }
      const remote = (...words: string[]) => runCommand(nowhere, ['deploy', ...words], env)
      run = slug === 'remote' ? remote : local
      if (slug === 'remote') await member.create(slug)
      else await run(folder, '--project', slug, '--create')
    })
    afterAll(() => nowhere.release())

    it('are deployed with a name, which may be that of a branch', async () => {
      const done = await run(folder, '--project', slug, '--preview', 'feature/New_Start')
      expect(done).toMatchObject({ status: 0, stderr: '' })
      expect(done.stdout).toMatch(
        /^Deploy \d is at the preview feature-new-start \(1 file, \d sent\): http:\/\/feature-new-start--/,
      )
      expect((await publishing.visit(`feature-new-start--${slug}`)).text).toBe('draft')
    })

    it('get an address that nobody guesses without a name, wherever the option stands', async () => {
      const one = await run('--project', slug, '--json', '--preview', folder)
      const two = await run(folder, '--preview', '--project', slug, '--json')
      const names = [one, two].map(({ stdout }) => JSON.parse(stdout).preview as string)
      expect(names).toEqual([0, 1].map(() => expect.stringMatching(/^[a-z0-9]{12}$/)))
      expect(names[0]).not.toBe(names[1])
      const { address } = JSON.parse(two.stdout)
      expect(address).toContain(`//${names[1]}--${slug}.docs.localhost:`)
    })

    it('have a password', async () => {
      const secret = await fileOf('password.txt', Buffer.from('a quiet river at dawn\n'))
      const words = ['--project', slug, '--preview', 'branch', '--password-file', secret]
      expect(await run(folder, ...words)).toMatchObject({ status: 0, stderr: '' })
      expect((await publishing.visit(`branch--${slug}`)).status).toBe(401)
    })

    it.each(
      cases([
        [['--password-file', 'x'], '--password-file requires --preview'],
        [['--preview', 'ü'], '--preview needs a name of at least 3 letters and digits'],
      ]),
    )('refuse %j', async (words, message) => {
      const refused = await run(folder, '--project', slug, ...words)
      expect(refused).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
    })
  })

  it('works without a server; what it published is there once one starts', async () => {
    const place = await createTestDatabase(engine)
    try {
      const words = [await folderOf(site), '--project', 'ours', '--create', '--json']
      const done = await runCommand(place, ['deploy', ...words])
      expect(done).toMatchObject({ status: 0, stderr: '' })
      expect(JSON.parse(done.stdout)).toMatchObject({ state: 'live', sent: 2, siteFiles: 3 })
      const later = await startPublishing(engine, { place })
      expect((await later.visit('ours', '/copy')).text).toBe('a page')
      await later.release()
    } finally {
      await place.release()
    }
  })
})

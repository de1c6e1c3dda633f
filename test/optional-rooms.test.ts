// The program can do without each room of server/optional: a copy of its sources without the room's folder, its
// commands and the lines that wire it still type-checks (in the long tier), and without all of them it starts and
// serves. The dashboard has pages for them, and the lab plays a DNS provider of Domain Connect: these are not copied.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { optionalRooms } from './arrows.ts'
import { cases, isLong } from './cases.ts'
import { serveForTest } from './faults/processes.ts'
import { placeForTest } from './place-for-test.ts'

const repository = join(import.meta.dirname, '..')

interface Wiring {
  /** A command of the room, and the file that runs it. */
  command?: { name: string; loaded: string }
  /** By file: what is left out besides its import. */
  lines: Record<string, string[]>
}

const rooms: Record<string, Wiring> = {
  'domain-connect': {
    command: { name: 'domains connect', loaded: 'server/cli/domains/run-domains-connect.ts' },
    lines: {
      'client/management-client.ts': ['| typeof connectRoutes'],
      'server/cli/commands.ts': ['...connectCommands,'],
      'server/known-databases.ts': ['connectKeyColumn,'],
      'server/open-domain-operations.ts': [
        'const connect = openDomainConnect(config, context, domains)',
        ', ...connect.routes',
        ', ...connect.upkeep',
      ],
      'server/system-checks/open-system-checks.ts': [
        "{ area: 'connect', run: (signal) => checkConnect(context, publishing, signal) },",
      ],
    },
  },
  'domain-webhooks': {
    lines: {
      'client/management-client.ts': ['| typeof domainWebhookRoutes'],
      'server/known-databases.ts': ['domainWebhookColumn,'],
      'server/open-publishing.ts': [
        'const webhooks = openDomainWebhooks(config, context)',
        ', { webhook: webhooks.send }',
        '...webhooks.routes,',
      ],
    },
  },
  'object-storage': {
    lines: {
      'server/open-publishing.ts': [
        'const objectStorage = openObjectStorage(config, { bucket, database, clock, metrics, log })',
        '\n    objectStorage,',
        'await objectStorage.begin()',
        'await objectStorage.stop()',
      ],
    },
  },
  oidc: {
    lines: {
      'client/management-client.ts': ['| typeof providerRoutes'],
      'server/main.ts': ['bindProviderRoutes(config.identityProvider, accounts.context), '],
    },
  },
  visits: {
    lines: {
      'client/management-client.ts': ['| typeof visitRoutes'],
      'server/open-publishing.ts': [
        'const visits = openVisits({ clock, database, log })',
        'visits: visits.counter,',
        '...visits.routes,',
        'await visits.stop()',
      ],
    },
  },
  webhooks: {
    lines: {
      'client/management-client.ts': ['| typeof webhookRoutes'],
      'server/known-databases.ts': ['...encryptedColumnsOf(environment)'],
      'server/main.ts': [
        'const webhooks = openWebhooks(config, store, clock, metrics, log, wiring.outgoing)',
        'outgoing?: Outgoing',
        '...webhooks.queues',
        'webhooks.maintain(),',
        'webhooks.stop(),',
        '\n    webhooks,',
        ' webhooks,',
      ],
    },
  },
}

test('every room of server/optional has its wiring here, and the rules know it', () => {
  const folders = readdirSync(join(repository, 'server/optional'))
  expect(Object.keys(rooms)).toEqual(folders.sort())
  expect([...optionalRooms]).toEqual(folders)
})

const each = Object.keys(rooms).map((room): [string, string[]] => [room, [room]])

test.each(cases([['all of them', Object.keys(rooms)], ...each]))(
  'the program does without %s',
  async (name, removed) => {
    const copy = copySources(`without-${name.replaceAll(' ', '-')}`)
    for (const room of removed) remove(copy, room)
    if (isLong) expect(checkTypes(copy)).toBe('')
    if (removed.length < each.length) return
    const place = await placeForTest('sqlite')
    const served = await serveForTest(place, {}, [], () => {}, join(copy, 'server/cli/main.ts'))
    const status = async (path: string) => (await served.askServer(path)).status
    expect((await served.ask('/pets')).status).toBe(200)
    expect(await status('/api/session')).toBe(401)
    expect(await status('/api/session/provider')).toBe(404)
    expect(await served.end()).toBe(0)
  },
)

/** The program without its tests, in a folder that is deleted afterwards. */
function copySources(name: string): string {
  const copy = join(repository, '.cache', name)
  rmSync(copy, { recursive: true, force: true })
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  mkdirSync(copy, { recursive: true })
  const isProgram = (path: string) => !/(\.|-in-)test\.ts$/.test(path)
  for (const path of ['server', 'client', 'package.json', 'tsconfig.json'])
    cpSync(join(repository, path), join(copy, path), { recursive: true, filter: isProgram })
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

function checkTypes(copy: string): string {
  const checker = join(repository, 'node_modules/typescript/bin/tsc')
  const words = [checker, '--noEmit', '--checkers', '1']
  return spawnSync(process.execPath, words, { cwd: copy, encoding: 'utf8' }).stdout
}

function remove(copy: string, room: string): void {
  const { command, lines } = rooms[room] as Wiring
  rmSync(join(copy, 'server/optional', room), { recursive: true })
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')))
  if (command) {
    rmSync(join(copy, command.loaded))
    edit('server/cli/commands.ts', (text) => withoutCommand(text, command.name))
  }
  for (const [file, snippets] of Object.entries(lines)) {
    const imports = new RegExp(`^import [^;'"]*? from '#optional/${room}/[^']+'\n`, 'gm')
    edit(file, (text) => snippets.reduce(without, text.replace(imports, '')))
  }
}

function without(text: string, snippet: string): string {
  const [before = '', after = '', ...more] = text.split(snippet)
  expect([snippet, more.length, before.length < text.length]).toEqual([snippet, 0, true])
  return before + after
}

/** The declaration of a command is an entry of a list. */
function withoutCommand(text: string, name: string): string {
  const [entry = ''] = new RegExp(`  \\{\n    name: '${name}',\n[^]*?\n  \\},\n`).exec(text) ?? []
  return without(text, entry)
}

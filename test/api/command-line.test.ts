// The command line: help, JSON and unknown commands.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { createTestDatabase, engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'

const commands = [
  'serve',
  'keys create',
  'keys list',
  'keys rotate',
  'keys revoke',
  'animals import',
  'animals export',
  'staging reset',
]

describe('help', () => {
  const place = shared(() => createTestDatabase('sqlite'))

  it.each(['--help', '-h', 'help'])('%s lists every command', async (word) => {
    const { status, stdout, stderr } = await runCommand(place, [word])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: animal-store <command>/)
    for (const command of commands) expect(stdout).toContain(`  ${command}`)
  })

  it.each(commands)(
    '%s --help shows its options, including --json, and does nothing',
    async (command) => {
      const words = command.split(' ')
      const { status, stdout, stderr } = await runCommand(place, [...words, '--help'])
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toMatch(new RegExp(`^Usage: animal-store ${command}`))
      expect(stdout).toMatch(/ {2}--json +\S/)
      expect(stdout).toMatch(/ {2}--help +\S/)
    },
  )

  it.each([
    ['keys', '--help'],
    ['help', 'keys'],
  ])('%s %s lists the commands on keys', async (...words) => {
    const { status, stdout } = await runCommand(place, words)
    expect(status).toBe(0)
    expect(stdout).toContain('keys rotate')
    expect(stdout).not.toContain('staging')
  })

  it.each([
    [['keys']],
    [['keys', 'fly']],
    [['keys', 'creat', 'me'], 'there is no command "keys creat me"; did you mean keys create?'],
    [['srve'], 'there is no command "srve"; did you mean serve?'],
    [['keys', 'fly', '--help']],
    [['fly', '--help']],
    [['help', 'fly']],
    [['--fly']],
    [['--json']],
    [[]],
  ])('wrong usage is status 2, on standard error: %j', async (words, line = '') => {
    const { status, stdout, stderr } = await runCommand(place, words)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^animal-store: .+\n/)
    expect(stderr).toContain(line)
    expect(stderr).not.toMatch(/\n +at /)
  })

  const keys = (...words: string[]) => ['keys', ...words, '--environment', 'production']
  it.each([
    ['serve', 'now'],
    ['serve', '--port', '1'],
    ['keys', 'list', '--environment', 'live'],
    ['keys', 'list', '--environment', 'staging', '--json=yes'],
    keys('create'),
    keys('create', '--label', 'a\nb'),
    keys('create', '--label', 'x', '--scopes', 'pets:read,all'),
    keys('create', '--label', 'x', '--expires', '2020-01-01'),
    keys('create', '--label', 'x', '--rate-limit', 'none'),
    keys('rotate', 'abc', '--overlap=-1h'),
    keys('rotate', 'abc', '--overlap=31d'),
    keys('create', '--label'),
    keys('revoke', 'a', 'b'),
  ])('wrong usage is one line: %s %s %s %s %s', async (...words) => {
    const { status, stdout, stderr } = await runCommand(place, words)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^animal-store: [^\n]+\n$/)
    if (words[0] === 'keys') expect(stderr).toMatch(/\(see animal-store keys \w+ --help\)\n$/)
  })

  it('an unusable data folder is status 2 and one line', async () => {
    const { status, stdout, stderr } = await runCommand(place, ['staging', 'reset'], {
      DATA_DIR: '/proc/none',
    })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^animal-store: DATA_DIR cannot be [^\n]+\n$/)
  })
})

it.each(cases(engines))('keys are created before the first start on %s', async (engine) => {
  const place = await placeForTest(engine)
  const list = (...words: string[]) =>
    runCommand(place, ['keys', 'list', '--environment', 'production', ...words])
  expect(await list()).toMatchObject({ status: 0, stdout: expect.stringContaining('No keys yet') })
  expect(await list('--json')).toEqual({ status: 0, stdout: '[]\n', stderr: '' })
  const create = ['keys', 'create', '--environment', 'production', '--label', 'early']
  expect((await runCommand(place, create)).stdout).toMatch(/^as_live_\w+\n$/)
  expect(JSON.parse((await list('--json')).stdout)).toMatchObject([{ label: 'early' }])
})

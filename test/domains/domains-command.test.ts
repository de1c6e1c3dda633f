// The commands on domains, on this machine's database and over the management API, while the server runs.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { anyEngine } from '../database.ts'
import { type CommandResult, runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'
import { startDomains, target } from './domains-in-test.ts'

const us = `${target}.`

// Each command is a process, which is slow on a busy machine.
describe.each(anyEngine)('domains by command line on %s', (engine) => {
  const world = shared(() => startDomains(engine))
  const owner = shared(() => world.owner())

  const run = (words: string[], input = '') => owner.run(['domains', ...words], input)
  /** On this machine's database. */
  const runHere = (words: string[], input = ''): Promise<CommandResult> => {
    const { DATA_DIR: _, ...env } = environmentIn(world.lab)
    return runCommand(world.store.place, ['domains', ...words], env, input)
  }

  it('offers the www pair of a domain, and the shown command adds it', async () => {
    const { name } = world.buy()
    const project = ['--project', owner.slug]
    const first = await run(['add', name, ...project])
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(first.stdout).toContain(`Visitors may type www.${name}, too.`)
    expect(first.stdout).toContain(
      `  animal-store domains add www.${name} --project ${owner.slug}\n`,
    )
    const second = await run(['add', `www.${name}`, ...project])
    expect(second.stdout).toContain(`To redirect www.${name} to ${name}:`)
    expect(second.stdout).toContain(`zone file:\n\n  www.${name}. 3600 IN CNAME ${target}.\n`)
    expect(second.stdout).not.toContain('domains add')
    const line = /^ {2}echo '(.+)' \| animal-store domains (config \S+ --file -)$/m
    const [, json = '', words = ''] = line.exec(second.stdout) ?? []
    for (const stdout of [first.stdout, second.stdout]) {
      expect(line.exec(stdout)?.[1]).toBe(json)
    }
    const saved = await run(words.split(' '), json)
    expect(saved).toEqual({
      status: 0,
      stderr: '',
      stdout: [
        `  HOST${' '.repeat(name.length)}  VISITORS`,
        `  ${name}      serves the site (primary)`,
        `  www.${name}  redirects to ${name} (301)`,
        '',
      ].join('\n'),
    })
    expect(await owner.get(`www.${name}`)).toMatchObject({
      role: 'redirect',
      redirect: { to: name, status: 301 },
    })
    // An existing pair is not offered.
    await owner.remove(name)
    expect((await run(['add', `docs.${name}`, ...project])).stdout).not.toContain('People type')
  })

  it('shows and sets the configuration on this machine, and the effect of removing the primary', async () => {
    const here = await world.owner()
    const zone = world.buy()
    expect(await runHere(['config', here.slug])).toMatchObject({
      status: 0,
      stdout: `No domains yet. Add one with animal-store domains add NAME --project ${here.slug}\n`,
    })
    const [docs, old] = [`docs.${zone.name}`, `old.${zone.name}`]
    for (const host of [docs, old]) await here.add(host)
    zone.put('docs', 'CNAME', us)
    await here.verify(docs)
    const file = join(world.lab.folder, 'configuration.json')
    const given = { primary: docs, redirects: [{ from: old, to: docs, status: 308 }] }
    writeFileSync(file, JSON.stringify(given))
    const set = await runHere(['config', here.slug, '--file', file, '--json'])
    expect([set.status, JSON.parse(set.stdout)]).toEqual([0, given])
    // The running server uses it from the next request on.
    expect(await here.get(old)).toMatchObject({ role: 'redirect' })
    const shown = await runHere(['config', here.slug, '--json'])
    expect(JSON.parse(shown.stdout)).toEqual(given)
    const removed = await runHere(['remove', docs, '--project', here.slug])
    expect(removed.stdout).toContain('It was the primary domain. The project has no primary')
    expect(removed.stdout).toContain(`${old} redirected to it and serves the site now.\n`)
    expect(removed.stdout).toMatch(/Delete its DNS records as well.+\n\n.+CNAME/)
  })

  it.runIf(engine === 'sqlite')('reports errors in one line', async () => {
    const wrong = { primary: 'docs.other.example', redirects: [] }
    const failures: [words: string[], input: string, status: number, words: RegExp][] = [
      [['config', owner.slug, '--file', '-'], JSON.stringify(wrong), 1, /primary is docs\.other/],
      [['config', owner.slug, '--file', '-'], '{"primary":5,"redirects":[]}', 1, /primary must be/],
      [['config', owner.slug, '--file', '-'], '{', 1, /standard input is not valid JSON/],
      [['config', owner.slug, '--file', '/nowhere'], '', 1, /\/nowhere does not exist/],
      [['config', 'nobodys'], '', 1, /project does not exist/],
      [['config'], '', 2, /PROJECT is missing/],
      [
        ['add', 'a.example', '--project', 'x', '--timeout', '1m'],
        '',
        2,
        /--timeout requires --wait/,
      ],
      [
        ['verify', 'a.example', '--project', 'x', '--wait', '--timeout', 'soon'],
        '',
        2,
        /--timeout accepts a duration such as 10m/,
      ],
    ]
    const ended = failures.map(async ([words, input, status, sentence], i) => {
      const failed = await (i % 2 === 0 ? run : runHere)(words, input)
      expect(failed).toMatchObject({ status, stdout: '' })
      expect(failed.stderr).toMatch(/^animal-store: .+\n$/)
      expect(failed.stderr).toMatch(sentence)
    })
    await Promise.all(ended)
  })

  it('waits until the owner has to act, or until the time-out', async () => {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    const project = ['--project', owner.slug]
    const late = await run(['add', host, ...project, '--wait', '--timeout', '1s'])
    expect(late.status).toBe(1)
    expect(late.stdout).toContain('\n\n  ! DNS: Record required\n')
    expect(late.stdout).toContain(`\n    Create this DNS record: ${host} CNAME ${target}\n`)
    expect(late.stderr).toBe(
      `animal-store: ${host} is not active yet: Add DNS record. It continues automatically; check again with domains verify.\n`,
    )
    zone.put('docs', 'A', '192.0.2.1')
    world.pass(11_000)
    const verified = await run(['verify', host, ...project])
    expect(verified.stdout).toContain(`\n     ${host}. 3600 IN CNAME ${target}.\n`)
    world.pass(11_000)
    const wrong = await run(['verify', host, ...project, '--wait'])
    expect(wrong.status).toBe(1)
    expect(wrong.stdout).toMatch(
      /^docs\.\S+\n\n\n {2}✗ DNS: Conflicting record\n.*\n\nFix DNS\n\n.*192\.0\.2\.1/s,
    )
    world.pass(11_000)
    const lines = (await run(['verify', host, ...project, '--wait', '--json'])).stdout
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ host, badge: 'fix_dns', certificate: { state: 'none', steps: [] } }])
  })

  it('follows a domain until it is active', async () => {
    const zone = world.buy()
    const [first, second] = [`docs.${zone.name}`, `www2.${zone.name}`]
    for (const host of [first, second]) await owner.add(host)
    zone.put('docs', 'CNAME', us).put('www2', 'CNAME', us)
    world.pass(11_000)
    const project = ['--project', owner.slug]
    const shown = await run(['verify', first, ...project, '--wait'])
    expect(shown).toMatchObject({ status: 0, stderr: '' })
    expect(shown.stdout).toMatch(
      new RegExp(
        `^${first}\\n\\n\\n {2}✓ DNS: Points to us\\n {2}✓ Ownership: Proven\\n[^]*` +
          ` {2}✓ Certificate: Until .+ 20\\d\\d.*\\n {2}✓ Live: Over HTTPS {2}https://${first}/\\n$`,
      ),
    )
    const { status, stdout } = await run(['verify', second, ...project, '--wait', '--json'])
    const lines = stdout.trimEnd().split('\n')
    expect([status, JSON.parse(lines.at(-1) ?? '')]).toMatchObject([
      0,
      { host: second, badge: 'active', serving: 'https', certificate: { state: 'issued' } },
    ])
    expect(new Set(lines).size).toBe(lines.length)
  })
})

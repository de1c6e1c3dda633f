// The commands animals import and animals export: what they print, store and write.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cases, isLong } from '../cases.ts'
import {
  anyEngine,
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../database.ts'
import { runCommand } from '../served-process.ts'

const head = 'name,categoryId,status\n'
const int64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'

let place: TestDatabase
const at = (name: string): string => join(place.dataDir, name)
const put = (name: string, content: string): string => {
  writeFileSync(at(name), content)
  return at(name)
}
const production = ['--environment', 'production']
const importing = (...words: string[]) =>
  runCommand(place, ['animals', 'import', ...words, ...production])
const exporting = (...words: string[]) =>
  runCommand(place, ['animals', 'export', ...words, ...production])
const stored = async (): Promise<unknown[]> =>
  JSON.parse((await exporting('--format', 'json')).stdout)
afterEach(() => place.release())

describe.each(cases(anyEngine))('on %s', (engine) => {
  beforeEach(async () => {
    place = await createTestDatabase(engine)
  })

  it('imports a file of each format, detected by its name, with new ids', async () => {
    const csv = put('a.csv', 'id,name,categoryId\n900,Rex,9223372036854775807\n')
    const ndjson = put('a.NDJSON', '{"id":900,"name":"Mia","categoryId":-9007199254740993}\n')
    const json = put('a.json', '[{"id":900,"name":"Mo","categoryId":1,"status":"sold"}]')
    for (const file of [csv, ndjson, json]) {
      const stdout = 'Imported 1 animal.\n'
      expect(await importing(file)).toEqual({ status: 0, stdout, stderr: '' })
    }
    const { stdout } = await exporting('--format', 'ndjson')
    expect(stdout).toBe(
      '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}\n' +
        '{"id":2,"name":"Mia","categoryId":-9007199254740993,"status":"available"}\n' +
        '{"id":3,"name":"Mo","categoryId":1,"status":"sold"}\n',
    )
  })

  it('imports nothing if any record is invalid, and prints the problems', async () => {
    const file = put('a.csv', `${head}Rex,1,\nMia,x,gone\n"a\nb",1,\nMo\n`)
    const { status, stdout, stderr } = await importing(file)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      `line 3: ${int64}.`,
      'line 3: status must be one of: available, pending, sold.',
      'line 4: name must contain a character that is not white space, and no control characters.',
      'line 6: The record has 1 field; the header has 3.',
      'animal-store: 3 of 4 records are invalid. Nothing was imported.',
      '',
    ])
    expect(await stored()).toEqual([])
  })

  if (isLong)
    it('prints the first 20 problems and how many more there are', async () => {
      const file = put('a.csv', `name,categoryId\n${'x,y\n'.repeat(1234)}`)
      const { stderr } = await importing(file)
      const lines = stderr.trim().split('\n')
      expect(lines).toHaveLength(22)
      expect(lines.slice(19)).toEqual([
        `line 21: ${int64}.`,
        '… and 1,214 more problems.',
        'animal-store: 1,234 of 1,234 records are invalid. Nothing was imported.',
      ])
    })

  it('keeps going: imports valid records and writes the others to a file unchanged', async () => {
    const file = put('a.csv', `${head}Rex,1,\n"Mia ""M""",x,gone\r\nMo,2,sold\n`)
    const rejected = `${file}.rejected.ndjson`
    const first = await importing(file, '--keep-going')
    expect(first).toMatchObject({ status: 1, stdout: 'Imported 2 animals.\n' })
    expect(first.stderr).toContain(`animal-store: 1 of 3 records were rejected; see ${rejected}\n`)
    expect(JSON.parse(readFileSync(rejected, 'utf8'))).toEqual({
      line: 3,
      record: '"Mia ""M""",x,gone',
      problems: [
        { path: 'categoryId', message: `${int64}.` },
        { path: 'status', message: 'status must be one of: available, pending, sold.' },
      ],
    })
    expect(await stored()).toMatchObject([
      { id: 1, name: 'Rex' },
      { id: 2, name: 'Mo' },
    ])
    const again = await importing(file, '--keep-going')
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('already exists') })
    expect(await stored()).toHaveLength(2)
    const other = await importing(file, '--keep-going', '--rejected', at('other'), '--json')
    expect(JSON.parse(other.stdout)).toEqual({
      ...{ imported: 2, rejected: 1, checked: 3, dryRun: false },
      problems: [
        { line: 3, path: 'categoryId', message: `${int64}.` },
        { line: 3, path: 'status', message: 'status must be one of: available, pending, sold.' },
      ],
      problemCount: 2,
      rejectedFile: at('other'),
    })
  })

  if (isLong)
    it('keeps going: writes no file if no record was rejected', async () => {
      const file = put('a.csv', `${head}Rex,1,\n`)
      expect(await importing(file, '--keep-going')).toMatchObject({ status: 0, stderr: '' })
      expect(readdirSync(place.dataDir).filter((name) => name.includes('rejected'))).toEqual([])
    })

  if (isLong)
    it('imports nothing of an unreadable file, even with keep going', async () => {
      const file = put('a.json', '[{"name":"Rex","categoryId":1},\n{"name":"Mia"},\n{"name":"Mo')
      const { status, stderr } = await importing(file, '--keep-going')
      expect(status).toBe(1)
      expect(stderr.split('\n')).toEqual([
        'line 2: categoryId is required.',
        'line 3: A string is never closed: the input ends in the record that begins here.',
        'animal-store: 2 of 3 records are invalid. Nothing was imported.',
        '',
      ])
      expect(existsSync(`${file}.rejected.ndjson`)).toBe(false)
      expect(await stored()).toEqual([])
    })

  it.each(
    cases([
      ['csv', ['name,categoryId\n', 'Rex,1\n']],
      ['ndjson', ['  \n{"name":"Rex",', '"categoryId":1}']],
      ['json', [' ', '[{"name":"Rex","categoryId":1}]']],
    ]),
  )('reads %s from standard input and detects it by its beginning', async (_, input) => {
    const words = ['animals', 'import', '-', ...production]
    expect(await runCommand(place, words, {}, input)).toMatchObject({ status: 0, stderr: '' })
    expect(await stored()).toMatchObject([{ name: 'Rex' }])
  })

  it('exports to a file, all animals or those of a status, in each format', async () => {
    await importing(put('a.csv', `${head}"Re, ""x""",1,\nMia,2,sold\n`))
    const csv = 'id,name,categoryId,status\r\n1,"Re, ""x""",1,available\r\n2,Mia,2,sold\r\n'
    const rex = '{"id":1,"name":"Re, \\"x\\"","categoryId":1,"status":"available"}'
    const mia = '{"id":2,"name":"Mia","categoryId":2,"status":"sold"}'
    expect((await exporting()).stdout).toBe(csv)
    for (const [name, content] of [
      ['o.csv', csv],
      ['o.ndjson', `${rex}\n${mia}\n`],
      ['o.json', `[\n${rex},\n${mia}\n]\n`],
    ] as const) {
      writeFileSync(at(name), 'what was there before')
      const said = { status: 0, stdout: `Exported 2 animals to ${at(name)}.\n`, stderr: '' }
      expect(await exporting(at(name))).toEqual(said)
      expect(readFileSync(at(name), 'utf8')).toBe(content)
    }
    const sold = await exporting(at('sold.json'), '--status', 'sold', '--json')
    expect(JSON.parse(sold.stdout)).toEqual({ exported: 1, file: at('sold.json') })
    expect(readFileSync(at('sold.json'), 'utf8')).toBe(`[\n${mia}\n]\n`)
    expect(readdirSync(place.dataDir).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  if (isLong)
    it('exports an empty store in formats that can be imported', async () => {
      for (const form of ['csv', 'ndjson', 'json']) {
        const file = at(`empty.${form}`)
        await exporting(file)
        expect(await importing(file)).toMatchObject({ status: 0, stdout: 'Imported 0 animals.\n' })
      }
    })
})

describe('a dry run', () => {
  beforeEach(async () => {
    place = await createEmptyDatabase('sqlite')
  })

  it('checks everything and stores nothing, not even a database', async () => {
    const good = put('good.csv', `${head}Rex,1,\n`)
    const bad = put('bad.csv', `${head}Rex,x,\n`)
    expect(await importing(good, '--dry-run')).toEqual({
      status: 0,
      stdout: 'Checked 1 animal: all are valid. Nothing was imported.\n',
      stderr: '',
    })
    const { status, stdout } = await importing(bad, '--dry-run', '--keep-going', '--json')
    expect(status).toBe(1)
    const done = { dryRun: true, imported: 0, rejected: 1, rejectedFile: null }
    expect(JSON.parse(stdout)).toMatchObject(done)
    expect(readdirSync(place.dataDir).sort()).toEqual(['bad.csv', 'good.csv'])
  })
})

describe('wrong usage', () => {
  beforeEach(async () => {
    place = await createTestDatabase('sqlite')
    put('a.csv', head)
    put('a.txt', head)
  })

  const named = '--environment production'
  it.each(
    cases<[number, string, string]>([
      [2, 'FILE is missing', 'import'],
      [2, '--environment production|staging is missing', 'import a.csv'],
      [2, '--environment accepts production or staging', 'import a.csv --environment x --dry-run'],
      [2, 'has no known format', `import a.txt ${named}`],
      [2, '--format accepts csv, ndjson, or json', `import a.csv --format xml ${named}`],
      [2, '--rejected requires --keep-going', `import a.csv --rejected r ${named}`],
      [1, 'none.csv does not exist', `import none.csv ${named}`],
      [1, 'is a folder', `import / --format csv ${named}`],
      [2, '--status accepts available, pending, or sold', `export --status x ${named}`],
      [2, '--json requires FILE', `export --json ${named}`],
      [2, 'unexpected argument', `export a.csv b.csv ${named}`],
      [1, 'cannot be opened: ENOENT', `export /none/a.csv ${named}`],
    ]),
  )('ends with status %d: %s', async (status, words, command) => {
    const known = command.split(' ').map((word) => (/^a\./.test(word) ? at(word) : word))
    const said = await runCommand(place, ['animals', ...known])
    expect(said).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(words) })
    expect(said.stderr.trim().split('\n')).toHaveLength(1)
  })
})

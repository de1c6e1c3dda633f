// Archives of common programs can be read: each packs one tree, and the same tree is read.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveForm, withoutCommonFolder } from '#publishing/archives/read-archive.ts'
import { readWhole, testLimits } from './read-whole-archive.ts'

const tree: Record<string, string> = {
  'index.html': '<h1>Hello</h1>'.repeat(100),
  empty: '',
  'blank.txt': ' ',
  '.well-known/security.txt': 'Contact: mailto:a@example.com',
  'Übersicht/日本語.html': 'ö',
  [`${'deep/'.repeat(25)}page.html`]: 'deep',
  [`long/${'n'.repeat(150)}.html`]: 'a name of more than 100 bytes',
  'block.bin': 'x'.repeat(1024),
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'archives-'))
  writeTree('site', tree)
  writeTree('many', manyFiles())
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

function manyFiles(): Record<string, string> {
  const names = Array.from({ length: 5000 }, (_, at) => `d${at % 70}/page-${at}.html`)
  return Object.fromEntries(names.map((name) => [name, `<h1>${name}</h1>`]))
}

function writeTree(top: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, top, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}

/** Runs in the folder above the tree. The last argument is the archive that it creates. */
function createArchive(command: readonly string[]): Buffer {
  const [program = '', ...args] = command
  const archive = join(folder, args.at(-1) ?? '')
  rmSync(archive, { force: true })
  const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return readFileSync(archive)
}

async function treeOf(bytes: Buffer): Promise<Record<string, string>> {
  const form = archiveForm(bytes)
  if (form === undefined) return expect.unreachable('is not an archive')
  const { files } = await readWhole(bytes, form, { ...testLimits, files: 5000, entries: 20_000 })
  const paths = withoutCommonFolder(files.map(({ path }) => path))
  return Object.fromEntries(
    files.map(({ bytes }, at) => [paths[at], Buffer.from(bytes).toString('utf8')]),
  )
}

function tar(top: string, ...options: string[]): string[] {
  return ['tar', ...options, '-cz', top, '-f', 'a.tar.gz']
}

function python(script: string): string[] {
  return ['python3', '-c', `import os, shutil, sys, tarfile, zipfile\n${script}`, 'a.archive']
}

/** Writes each file of the tree with `line`, in which its path is `name`. */
function pythonZip(line: string, options = ''): string[] {
  return python(`with zipfile.ZipFile(sys.argv[1], 'w'${options}) as z:
  for top, _, names in os.walk('site'):
    for name in names:
      name = os.path.join(top, name)
      ${line}`)
}

const commands: [string, string[]][] = [
  ['tar, GNU', tar('site', '--format=gnu')],
  ['tar, old GNU', tar('site', '--format=oldgnu')],
  ['tar, pax', tar('site', '--format=pax')],
  ['tar, ustar', tar('site', '--format=ustar', `--exclude=${'n'.repeat(150)}.html`)],
  ["tar of the folder's content", ['tar', '-C', 'site', '-cz', '.', '-f', 'a.tar.gz']],
  ['zip', ['sh', '-c', 'zip -q -r "$1" site', 'sh', 'a.zip']],
  ["zip of the folder's content", ['sh', '-c', 'cd site && zip -q -r "../$1" .', 'sh', 'a.zip']],
  ['zip, stored', ['sh', '-c', 'zip -q -0 -r "$1" site', 'sh', 'a.zip']],
  ['zip, zip64', ['sh', '-c', 'zip -q -fz -r "$1" site', 'sh', 'a.zip']],
  ['zip, to a pipe', ['sh', '-c', 'zip -q -r - site | cat > "$1"', 'sh', 'a.zip']],
  [
    'Python, shutil',
    python(`os.rename(shutil.make_archive('createArchive', 'zip', 'site'), sys.argv[1])`),
  ],
  ['Python, deflated', pythonZip('z.write(name)', ', zipfile.ZIP_DEFLATED')],
  [
    'Python, zip64',
    pythonZip(`z.open(name, 'w', force_zip64=True).write(open(name, 'rb').read())`),
  ],
  ['Python, tarfile', python(`with tarfile.open(sys.argv[1], 'w:gz') as t: t.add('site')`)],
]

describe('archives of programs', () => {
  // Ustar cannot store a name of more than 100 bytes without a slash.
  const forUstar = Object.fromEntries(
    Object.entries(tree).filter(([path]) => !path.includes('nnn')),
  )

  for (const [name, command] of commands) {
    it(name, async () => {
      expect(await treeOf(createArchive(command))).toEqual(name.endsWith('ustar') ? forUstar : tree)
    })
  }

  const large: [string, string[]][] = [
    ['tar', tar('many')],
    ['zip', ['sh', '-c', 'zip -q -r "$1" many', 'sh', 'a.zip']],
  ]

  for (const [program, command] of large) {
    it(`${program} of 5,000 files`, async () => {
      expect(await treeOf(createArchive(command))).toEqual(manyFiles())
    })
  }
})

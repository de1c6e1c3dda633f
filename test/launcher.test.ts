// The launcher in a copy of the repository, with a fake npm (and once with the real one).
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { variables } from '#kit/config/variables.ts'
import { isAlive, signal } from './process-tree.ts'

const repository = join(import.meta.dirname, '..')
const tools = 'sh cat chmod cmp cp du env find grep ln mkdir mv readlink rm sed sleep uname'.split(
  ' ',
)
const toolPaths = execFileSync('sh', ['-c', tools.map((name) => `command -v ${name};`).join('')], {
  encoding: 'utf8',
})
  .trim()
  .split('\n')
const packagedFolder = `/node_modules/node-${process.platform}-${process.arch}`

/** Records its arguments and its environment in the root, and installs the running Node. */
const fakeNpm = `#!/bin/sh
echo "npm $*" >>../../npm.calls
env >../../npm.environment
sleep "\${NPM_SECONDS:-0}"
rm -rf node_modules
[ -z "$NPM_FAILS" ] || { echo 'npm error: no such package'; exit 1; }
mkdir -p ".${packagedFolder}/bin" node_modules/vite/bin
ln -s "$NPM_REAL_NODE" ".${packagedFolder}/bin/node"
cp ../../vite.js node_modules/vite/bin
case $* in *--include=dev*) mkdir node_modules/vitest ;; esac
`

/** Records its environment and copies the source as the bundle; fails if there is a file `broken`. */
const fakeVite = `
const { copyFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs')
const { resolve } = require('node:path')
const environment = Object.entries(process.env).map((pair) => pair.join('='))
writeFileSync('vite.environment', environment.join('\\n'))
const [folder, , outDir] = process.argv.slice(3)
// Vite takes the folder of the output from the folder of the sources.
const out = resolve(folder, outDir)
if (existsSync('broken')) throw new Error('no such module')
mkdirSync(out, { recursive: true })
writeFileSync(out + '/chunk-1.js', '')
if (folder === '.') copyFileSync('server/cli/main.ts', out + '/main.js')
else mkdirSync(out + '/assets')
`

const program = `
if (process.argv[2] === 'serve') {
  process.on('SIGTERM', () => process.exit(7))
  setInterval(() => {}, 1000)
}
console.log(JSON.stringify({
  pid: process.pid,
  cwd: process.cwd(),
  program: process.argv[1],
  arguments: process.argv.slice(2),
}))
`

/** The running Node with its libraries. */
const realNode = () => join(folder, 'real-node')

let folder: string
let root: string
let bin: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'animal-store-launcher-'))
  root = join(folder, 'a place', 'root')
  bin = join(folder, 'bin')
  await mkdir(join(root, 'server/cli'), { recursive: true })
  await mkdir(bin)
  for (const name of ['animal-store', 'install.sh']) {
    await copyFile(join(repository, name), join(root, name))
  }
  await writeFile(join(root, 'server/cli/main.ts'), program)
  await writeFile(join(root, 'vite.js'), fakeVite)
  await writeFile(join(root, 'vite.config.ts'), '')
  for (const name of ['client', 'dashboard']) await mkdir(join(root, name))
  await writeFile(join(root, 'package.json'), '{ "name": "tiny", "type": "module" }')
  await writeLock('1.0.0')
  for (const path of toolPaths) await symlink(path, join(bin, basename(path)))
  const { LD_LIBRARY_PATH: libraries = '' } = process.env
  const start = `LD_LIBRARY_PATH='${libraries}' exec '${process.execPath}'`
  await writeFile(realNode(), `#!/bin/sh\n${start} "$@"\n`, { mode: 0o755 })
  await writeScript('npm', fakeNpm)
  await writeScript('node', '#!/bin/sh\necho v18.0.0\n')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function writeScript(name: string, text: string): Promise<void> {
  await writeFile(join(bin, name), text)
  await chmod(join(bin, name), 0o755)
}

async function writeLock(version: string, packages: object = {}): Promise<void> {
  const lock = { name: 'tiny', version, lockfileVersion: 3, requires: true }
  const all = { '': { name: 'tiny', version }, ...packages }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ ...lock, packages: all }))
}

interface Start {
  arguments?: string[]
  command?: string
  cwd?: string
  environment?: Record<string, string>
}

function launch(start: Start = {}) {
  return spawn(start.command ?? join(root, 'animal-store'), start.arguments ?? ['keys', 'a b'], {
    cwd: start.cwd ?? folder,
    env: { PATH: bin, NPM_REAL_NODE: realNode(), ...start.environment },
  })
}

async function outcome(child: ChildProcessWithoutNullStreams) {
  const closed = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await closed
  return { status, errors, output: output && JSON.parse(output) }
}

const run = (start: Start = {}) => outcome(launch(start))
const npmCalls = () => readFile(join(root, 'npm.calls'), 'utf8').catch(() => '')
const install =
  'npm ci --omit=dev --include=optional --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error\n'
const building = 'animal-store: building the program (10 s) ...\n'
const installing = 'animal-store: 1 of 3: installing packages (285 MB) ...\n'
const notice = installing + building.replace('building', '2 of 3: building')

describe('the first start', () => {
  test("installs, prints one line about it, and runs the command in the caller's folder", async () => {
    const { status, errors, output } = await run()
    expect({ status, errors }).toEqual({ status: 0, errors: notice })
    expect(output).toMatchObject({ cwd: folder, arguments: ['keys', 'a b'] })
    expect(await npmCalls()).toBe(install)
  })

  test('works through symbolic links, absolute and relative', async () => {
    await mkdir(join(folder, 'links'))
    await symlink(join(root, 'animal-store'), join(folder, 'links/absolute'))
    await symlink('links/absolute', join(folder, 'relative'))
    expect(await run({ command: join(folder, 'relative'), cwd: '/' })).toMatchObject({
      status: 0,
      output: { cwd: '/', arguments: ['keys', 'a b'] },
    })
  })

  test('works as `sh animal-store` in its folder', async () => {
    const start = { command: 'sh', arguments: ['animal-store', 'lab'], cwd: root }
    expect(await run(start)).toMatchObject({ status: 0, output: { arguments: ['lab'] } })
    expect(await readdir(join(root, 'dashboard/dist'))).toContain('.built')
  })

  test('`build` builds the dashboard and the program, and keeps the assets of an earlier build', async () => {
    expect(await run({ arguments: ['build'] })).toMatchObject({ status: 0 })
    expect(await readdir(join(root, 'dashboard/dist'))).toContain('.built')
    expect(await readdir(join(root, '.cache/program'))).toContain('.built')
    const assets = join(root, 'dashboard/dist/assets')
    await writeFile(join(assets, 'page-1.js'), '')
    await writeFile(join(root, 'dashboard/page.tsx'), '')
    expect(await run({ arguments: ['build'] })).toMatchObject({ status: 0 })
    expect(await readdir(assets)).toEqual(['page-1.js'])
  })

  test('works twice at the same time, and leaves one installation', async () => {
    const environment = { NPM_SECONDS: '1' }
    const both = await Promise.all([run({ environment }), run({ environment })])
    expect(both.map(({ status }) => status)).toEqual([0, 0])
    expect(await readdir(join(root, '.cache'))).toEqual(['program'])
    expect(await readdir(join(root, 'node_modules'))).not.toContain('node_modules')
  })

  test('uses the settings of npm in the folder', async () => {
    await writeFile(join(root, '.npmrc'), 'registry=http://127.0.0.1:1/')
    await writeScript('npm', `${fakeNpm}\ncp .npmrc ../../npm.calls\n`)
    expect(await run()).toMatchObject({ status: 0 })
    expect(await npmCalls()).toBe('registry=http://127.0.0.1:1/')
  })

  test('without a home folder has a cache for npm in its own folder', async () => {
    expect(await run({ environment: { HOME: '/none' } })).toMatchObject({ status: 0 })
    const environment = await readFile(join(root, 'npm.environment'), 'utf8')
    expect(environment).toContain(`npm_config_cache=${root}/.cache/npm\n`)
  })
})

describe('the environment of installs and builds', () => {
  const own = ['LD_LIBRARY_PATH', 'NPM_REAL_NODE', 'PWD', 'SHLVL', '_', 'OLDPWD']
  const namesIn = async (file: string) =>
    (await readFile(join(root, file), 'utf8'))
      .split('\n')
      .map((line) => line.split('=')[0] ?? '')
      .filter((name) => name && !own.includes(name))
      .sort()
  const secrets = Object.fromEntries(
    [...Object.keys(variables), 'PGPASSWORD', 'AWS_SECRET_ACCESS_KEY'].map((name) => [name, 'x']),
  )
  const forNpm = {
    HOME: repository,
    HTTPS_PROXY: 'http://127.0.0.1:1',
    NODE_EXTRA_CA_CERTS: '/none.pem',
    npm_config_registry: "http://127.0.0.1:1/it's $(mine)",
    NPM_TOKEN: 'x',
  }

  test('has what npm needs to reach a registry, and no setting of the service', async () => {
    expect(await run({ environment: { ...secrets, ...forNpm } })).toMatchObject({ status: 0 })
    const passed = [...Object.keys(forNpm), 'PATH'].sort()
    expect(await namesIn('npm.environment')).toEqual(passed)
    expect(await readFile(join(root, 'npm.environment'), 'utf8')).toContain(
      `npm_config_registry=${forNpm.npm_config_registry}\n`,
    )
    expect(await namesIn('vite.environment')).toEqual([...passed, 'NODE_ENV'].sort())
  })

  test('is the same in every script that installs packages', () => {
    const scripts = ['animal-store', 'dashboard/dev', 'bench/run', 'test/run', 'install.sh']
    const calls = scripts.flatMap((path) =>
      [...readFileSync(join(repository, path), 'utf8').matchAll(/^.*\bnpm (?:ci|install)\b.*/gm)]
        .map(([line]) => line.trim())
        .filter((line) => !line.startsWith('#')),
    )
    expect(calls).toEqual([expect.stringMatching(/^exec_isolated npm ci .*--ignore-scripts /)])
  })
})

describe("the machine's own Node", () => {
  /** The running Node, recording that it was used. */
  const own = () => `#!/bin/sh\necho "$*" >>"${folder}/own.calls"\nexec "${realNode()}" "$@"\n`
  const ownCalls = () => readFile(join(folder, 'own.calls'), 'utf8').catch(() => '')

  test('is used if ANIMAL_STORE_NODE names it', async () => {
    await writeScript('node-of-this-machine', own())
    const environment = { ANIMAL_STORE_NODE: join(bin, 'node-of-this-machine') }
    expect(await run({ environment })).toMatchObject({ status: 0, errors: notice })
    expect(await ownCalls()).toContain('main.js keys a b\n')
  })

  test.each(['v25.9.0', 'v27.0.0', ''])('is refused by name if it is "%s"', async (version) => {
    await writeScript('other', `#!/bin/sh\necho ${version}\n`)
    const environment = { ANIMAL_STORE_NODE: join(bin, 'other') }
    expect(await run({ environment })).toEqual({
      status: 1,
      output: '',
      errors: `animal-store: ANIMAL_STORE_NODE cannot be ${bin}/other: it accepts the path of a Node of version 26\n`,
    })
  })

  test('is not used otherwise, not even of the same version; a later start needs neither it nor npm', async () => {
    await run()
    await writeScript('node', own())
    expect(await run()).toMatchObject({ status: 0, errors: '' })
    expect(await ownCalls()).toBe('')
    for (const name of ['npm', 'node']) await rm(join(bin, name))
    expect(await run()).toMatchObject({ status: 0, errors: '' })
    expect(await npmCalls()).toBe(install)
  })

  test('has the major version of the packaged one', async () => {
    const { optionalDependencies } = JSON.parse(
      await readFile(join(repository, 'package.json'), 'utf8'),
    )
    const text = await readFile(join(repository, 'install.sh'), 'utf8')
    const major = /^node_major=(\d+)$/m.exec(text)?.[1]
    const versions = Object.entries<string>(optionalDependencies)
    expect(versions.map(([name, version]) => [name, version.split('.')[0]])).toEqual(
      versions.map(([name]) => [name, major]),
    )
  })
})

describe('a later start', () => {
  test('installs again if the lock file has changed', async () => {
    await run()
    await writeLock('1.0.1')
    expect(await run()).toMatchObject({ status: 0, errors: notice })
    expect(await npmCalls()).toBe(install + install)
  })

  test('finds what `npm test` has installed, which is more than a start needs', async () => {
    const script = `root='${root}'; . "$root/install.sh"; install_packages dev; echo '""'`
    const test = () => run({ command: 'sh', arguments: ['-c', script], cwd: root })
    await run()
    expect((await test()).errors).toBe(installing.replace('285', '440'))
    for (const again of [test, run]) expect((await again()).status).toBe(0)
    expect(await npmCalls()).toBe(install + install.replace('--omit=dev', '--include=dev'))
  })

  test('builds the program if a source was changed, added or removed', async () => {
    const [source, added] = [join(root, 'server/cli/main.ts'), join(root, 'server/cli/added.ts')]
    await run()
    expect(await run()).toMatchObject({ status: 0, errors: '' })
    await writeFile(source, program)
    expect(await run()).toMatchObject({ status: 0, errors: building })
    await writeFile(added, '')
    expect(await run()).toMatchObject({ status: 0, errors: building })
    await rm(added)
    const { errors, output } = await run()
    expect(errors).toBe(building)
    expect(output.program).toBe(join(root, '.cache/program/main.js'))
    expect(await run()).toMatchObject({ status: 0, errors: '' })
    expect(await readdir(join(root, '.cache'))).toEqual(['program'])
  })
})

describe('failures', () => {
  test.each(['none', 'v16.20.2'])('npm needs a newer Node: there is %s', async (version) => {
    if (version === 'none') await rm(join(bin, 'npm'))
    else await writeScript('node', `#!/bin/sh\necho ${version}\n`)
    expect(await run()).toEqual({
      status: 1,
      output: '',
      errors: `animal-store: the packages need npm with Node 18 or newer on the PATH to install them; found ${version}\n`,
    })
  })

  test('npm fails: its output is shown, and the next start retries', async () => {
    const { status, errors } = await run({ environment: { NPM_FAILS: '1' } })
    expect(status).toBe(1)
    expect(errors).toBe(
      `${installing}npm error: no such package\n` +
        'animal-store: npm could not install the packages; its output is above\n',
    )
    expect(await run()).toMatchObject({ status: 0, errors: notice })
  })

  const brokenNode = (loader: string) => `#!/bin/sh
    mkdir -p node_modules/vite/bin ".${packagedFolder}/bin"; cp ../../vite.js node_modules/vite/bin
    printf '%s\\n' '${loader}' >".${packagedFolder}/bin/node"; chmod 755 ".${packagedFolder}/bin/node"\n`
  const noNode =
    /^.*installing.*\nanimal-store: no Node in the packages runs on this \w+ \w+; set ANIMAL_STORE_NODE to .* version 26\n$/

  test.each([
    ['there is no Node package for this platform', '#!/bin/sh\nmkdir -p node_modules\n'],
    ['the installed Node cannot run here (musl)', brokenNode('#!/no/such/loader')],
  ])('%s: the next start with ANIMAL_STORE_NODE works', async (_, npm) => {
    await writeScript('npm', npm)
    const { status, errors } = await run()
    expect({ status, errors }).toEqual({ status: 1, errors: expect.stringMatching(noNode) })
    expect(existsSync(join(root, 'node_modules'))).toBe(false)
    await writeScript('npm', fakeNpm)
    const environment = { ANIMAL_STORE_NODE: realNode() }
    expect(await run({ environment })).toMatchObject({ status: 0, errors: notice })
  })

  test.each([
    ['is named if it cannot be downloaded', '#!/bin/sh\nexit 100\n', 1],
    ['is unpacked beside Node', `#!/bin/sh\n: >libatomic1_1_all.deb\n`, 0],
  ])('a library that Node needs %s', async (_, aptGet, expected) => {
    const lib = 'case $LD_LIBRARY_PATH in */.lib*) exec "$NPM_REAL_NODE" "$@";; esac'
    const node = `#!/bin/sh\n${lib}\necho "libatomic.so.1: cannot open shared object file" >&2\nexit 127`
    await writeScript('npm', brokenNode(node))
    await writeScript('apt-get', aptGet)
    await writeScript('dpkg-deb', '#!/bin/sh\nmkdir -p usr/lib/x; : >usr/lib/x/libatomic.so.fake\n')
    const { errors, status } = await run()
    expect(status, errors).toBe(expected)
    expect(
      errors.endsWith('install it (Debian: apt-get install libatomic1) and start again\n'),
    ).toBe(expected === 1)
    expect(existsSync(join(root, 'node_modules'))).toBe(expected === 0)
  })

  test('of an interrupted start leaves nothing', async () => {
    const child = launch({ environment: { NPM_SECONDS: '10' } })
    const ended = outcome(child)
    await expect.poll(npmCalls).toBe(install)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ status: 143 })
    expect(await readdir(join(root, '.cache'))).toEqual([])
    expect(await run()).toMatchObject({ status: 0, errors: notice })
  })

  test('what a killed start left is removed', async () => {
    const gone = spawn('true')
    await once(gone, 'exit')
    await mkdir(join(root, `.cache/install.${gone.pid}/node_modules`), { recursive: true })
    expect(await run()).toMatchObject({ status: 0, errors: notice })
    expect(await readdir(join(root, '.cache'))).toEqual(['program'])
  })

  test('no package is left out because of the Node that npm runs on', async () => {
    const text = await readFile(join(repository, 'package-lock.json'), 'utf8')
    const all = Object.entries<{ optional?: true; engines?: object }>(JSON.parse(text).packages)
    const withEngines = all.filter(([, { optional, engines }]) => optional && engines)
    // npm leaves out optional packages whose engines the running Node is not: delete `engines` of these.
    expect(withEngines.map(([path]) => path)).toEqual([])
  })
})

describe('a program that cannot be built does not start', () => {
  test('because the build fails: its output is shown', async () => {
    await writeFile(join(root, 'broken'), '')
    const { errors, status } = await run()
    expect(status).toBe(1)
    expect(errors).toMatch(
      /Error: no such module[\s\S]*\nanimal-store: the build failed; its output is above\n$/,
    )
    await rm(join(root, 'broken'))
    expect(await run()).toMatchObject({ status: 0, errors: building })
  })

  test('because the folder is read-only', async () => {
    await run()
    await rm(join(root, '.cache'), { recursive: true })
    await writeFile(join(root, '.cache'), '')
    expect(await run()).toMatchObject({
      status: 1,
      errors: `animal-store: cannot write to ${root}/.cache/program: run ./animal-store build as its owner\n`,
    })
  })
})

test('a signal reaches the server', async () => {
  await run()
  const child = launch({ arguments: ['serve'] })
  const ended = outcome(child)
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const { status, output } = await ended
  expect(output).toMatchObject({ pid: child.pid })
  expect(status).toBe(7)
})

test('a signal to npm start ends the server', async () => {
  await run()
  const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'tiny', scripts }))
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const { pid } = JSON.parse(line)
  onTestFinished(() => {
    signal(pid, 'SIGKILL')
  })
  child.kill('SIGTERM')
  await once(child, 'exit')
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('the real npm installs from a lock file, and no package runs a script', async () => {
  const name = packagedFolder.split('/').at(-1) ?? ''
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall', 'prepare'].map((event) => [
      event,
      `echo ${event} >>"${folder}/script.calls"`,
    ]),
  )
  const packages: Record<string, object> = {}
  const pack = async (packed: string, path: string, content: string) => {
    const made = join(folder, packed, 'package')
    await mkdir(dirname(join(made, path)), { recursive: true })
    await writeFile(join(made, path), content, { mode: 0o755 })
    await writeFile(
      join(made, 'package.json'),
      JSON.stringify({ name: packed, version: '1.0.0', scripts }),
    )
    const archive = join(folder, `${packed}.tgz`)
    execFileSync('tar', ['-czf', archive, '-C', join(folder, packed), 'package'])
    const integrity = `sha512-${hash('sha512', await readFile(archive), 'base64')}`
    const resolved = `file:${archive}`
    packages[`node_modules/${packed}`] = {
      version: '1.0.0',
      resolved,
      integrity,
      hasInstallScript: true,
    }
    return [packed, resolved]
  }
  const dependencies = Object.fromEntries([
    await pack(name, 'bin/node', await readFile(realNode(), 'utf8')),
    await pack('vite', 'bin/vite.js', fakeVite),
  ])
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ name: 'tiny', version: '1.0.0', type: 'module', dependencies, scripts }),
  )
  await writeLock('1.0.0', { '': { name: 'tiny', version: '1.0.0', dependencies }, ...packages })
  const environment = { PATH: process.env.PATH ?? '', HOME: folder }
  expect(await run({ environment })).toMatchObject({ status: 0, errors: notice })
  expect(await run({ environment })).toMatchObject({ status: 0, errors: '' })
  expect(existsSync(join(folder, 'script.calls'))).toBe(false)
})

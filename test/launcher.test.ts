// The launcher in a copy of the repository, with a fake npm (and once with the real one).
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
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
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { variables } from '../server/platform/config/variables.ts'

const repository = join(import.meta.dirname, '..')
const tools =
  'sh cat cmp cp env find grep head ln mkdir mv readlink rm rmdir sed sleep uname'.split(' ')
const toolPaths = execFileSync('sh', ['-c', tools.map((name) => `command -v ${name};`).join('')], {
  encoding: 'utf8',
})
  .trim()
  .split('\n')
const namePinnedNode = `root=; . "${repository}/install.sh"; name_pinned_node; echo "$pinned"`
const pinnedFolder = execFileSync('sh', ['-c', namePinnedNode], { encoding: 'utf8' })
  .trim()
  .replace('/bin/node', '')

/** Records its arguments and its environment, and installs the running Node. */
const fakeNpm = `#!/bin/sh
echo "npm $*" >>npm.calls
env >npm.environment
sleep "\${NPM_SECONDS:-0}"
rm -rf node_modules
[ -z "$NPM_FAILS" ] || { echo 'npm error: no such package'; exit 1; }
mkdir -p "$PWD${pinnedFolder}/bin"
ln -s "$NPM_REAL_NODE" "$PWD${pinnedFolder}/bin/node"
mkdir -p node_modules/vite/bin
cp vite.js node_modules/vite/bin
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
mkdirSync(out)
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

function launch(start: Start = {}): ChildProcess {
  return spawn(start.command ?? join(root, 'animal-store'), start.arguments ?? ['keys', 'a b'], {
    cwd: start.cwd ?? folder,
    env: { PATH: bin, NPM_REAL_NODE: process.execPath, ...start.environment },
  })
}

async function outcome(child: ChildProcess) {
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const [status] = await once(child, 'close')
  return { status, errors, output: output && JSON.parse(output) }
}

const run = (start: Start = {}) => outcome(launch(start))
const npmCalls = () => readFile(join(root, 'npm.calls'), 'utf8').catch(() => '')
const install =
  'npm ci --omit=dev --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error\n'
const building = 'animal-store: building the program ...\n'
const installing = 'animal-store: installing packages ...\n'
const notice = installing + building

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

  test('`build` builds the dashboard and the program', async () => {
    expect(await run({ arguments: ['build'] })).toMatchObject({ status: 0 })
    expect(await readdir(join(root, 'dashboard/dist'))).toContain('.built')
    expect(await readdir(join(root, '.cache/program'))).toContain('.built')
  })

  test('keeps the assets of an earlier build of the dashboard', async () => {
    await run({ arguments: ['build'] })
    const assets = join(root, 'dashboard/dist/assets')
    await writeFile(join(assets, 'page-1.js'), '')
    await writeFile(join(root, 'dashboard/page.tsx'), '')
    expect(await run({ arguments: ['build'] })).toMatchObject({ status: 0 })
    expect(await readdir(assets)).toEqual(['page-1.js'])
  })

  test('installs once if two start at the same time', async () => {
    const environment = { NPM_SECONDS: '1' }
    const both = await Promise.all([run({ environment }), run({ environment })])
    expect(both.map(({ status }) => status)).toEqual([0, 0])
    expect(both.map(({ errors }) => errors).join('')).toContain(installing)
    expect(await npmCalls()).toBe(install)
  })
})

describe('the environment of installs and builds', () => {
  const namesIn = async (file: string) =>
    (await readFile(join(root, file), 'utf8'))
      .split('\n')
      .map((line) => line.split('=')[0] ?? '')
      .filter((name) => name && !['NPM_REAL_NODE', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))
      .sort()
  const secrets = Object.fromEntries(
    [...Object.keys(variables), 'PGPASSWORD', 'AWS_SECRET_ACCESS_KEY'].map((name) => [name, 'x']),
  )
  const forNpm = {
    HOME: '/none',
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
    expect(calls).toEqual([expect.stringMatching(/^exec_isolated npm ci "\$@" --ignore-scripts /)])
  })
})

describe("the machine's own Node", () => {
  /** The running Node, recording that it was used. */
  const own = () =>
    `#!/bin/sh\necho "$*" >>"${folder}/own.calls"\nexec "${process.execPath}" "$@"\n`
  const ownCalls = () => readFile(join(folder, 'own.calls'), 'utf8').catch(() => '')

  test('is used instead of the packaged one if the PATH has it in the pinned major version', async () => {
    await writeScript('node', own())
    expect(await run()).toMatchObject({ status: 0, errors: notice })
    expect(await ownCalls()).toContain('main.js keys a b\n')
  })

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

  test('of another major version on the PATH is not used', async () => {
    await run()
    await writeScript('node', `#!/bin/sh\necho v27.1.0\necho "$*" >>"${folder}/own.calls"\n`)
    expect(await run()).toMatchObject({ status: 0, errors: '' })
    expect(await ownCalls()).toBe('--version\n')
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
  test('installs nothing and does not need npm', async () => {
    await run()
    await rm(join(bin, 'npm'))
    await rm(join(bin, 'node'))
    expect(await run()).toMatchObject({ status: 0, errors: '' })
    expect(await npmCalls()).toBe(install)
  })

  test('installs again if the lock file has changed', async () => {
    await run()
    await writeLock('1.0.1')
    expect(await run()).toMatchObject({ status: 0, errors: notice })
    expect(await npmCalls()).toBe(install + install)
  })

  test('keeps an installation with dev dependencies', async () => {
    await run()
    await copyFile(join(root, 'package-lock.json'), join(root, 'node_modules/.installed-dev'))
    expect(await run()).toMatchObject({ status: 0, errors: '' })
    expect(await npmCalls()).toBe(install)
  })

  test('runs npm with the pinned Node for dev dependencies if the Node on the PATH is old', async () => {
    await writeScript('npm', `${fakeNpm}\necho "with $(command -v node)" >>npm.calls\n`)
    const script = `root="${root}"; . "$root/install.sh"; install_packages dev`
    execFileSync('/bin/sh', ['-c', script], {
      cwd: root,
      env: { PATH: bin, NPM_REAL_NODE: process.execPath },
      stdio: 'ignore',
    })
    const withPinned = `with ${root}${pinnedFolder}/bin/node\n`
    const both = `${install}with ${bin}/node\n${install.replace('omit', 'include')}${withPinned}`
    expect(await npmCalls()).toBe(both)
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

  test('keeps dev dependencies if it has to install again', async () => {
    await run()
    const hidden = { packages: { 'node_modules/x': { version: '1.0.0', dev: true } } }
    const text = JSON.stringify(hidden, null, 2)
    await writeFile(join(root, 'node_modules/.package-lock.json'), text)
    await writeLock('1.0.1')
    expect(await run()).toMatchObject({ status: 0 })
    expect(await npmCalls()).toBe(install + install.replace('omit', 'include'))
  })
})

describe('packages that the user installed with npm', () => {
  const x = { version: '1.0.0', integrity: 'sha512-x' }
  beforeEach(async () => {
    await mkdir(join(root, `${pinnedFolder}/bin`), { recursive: true })
    await symlink(process.execPath, join(root, `${pinnedFolder}/bin/node`))
    await mkdir(join(root, 'node_modules/vite/bin'), { recursive: true })
    await copyFile(join(root, 'vite.js'), join(root, 'node_modules/vite/bin/vite.js'))
  })

  const writeHidden = (packages: object) =>
    writeFile(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))

  test('are used if they match the lock file', async () => {
    const foreign = { version: '1.0.0', optional: true, os: 'plan9' }
    await writeLock('1.0.0', { 'node_modules/x': x, 'node_modules/y': foreign })
    await writeHidden({ 'node_modules/x': x })
    expect(await run()).toMatchObject({ status: 0, errors: building })
    expect(await npmCalls()).toBe('')
  })

  test.each([
    ['another version', { 'node_modules/x': { ...x, version: '1.0.1' } }],
    ['a missing package', {}],
    ['a package too many', { 'node_modules/x': x, 'node_modules/z': x }],
  ])('are installed again with %s', async (_, packages) => {
    await writeLock('1.0.0', { 'node_modules/x': x })
    await writeHidden(packages)
    expect(await run()).toMatchObject({ status: 0, errors: notice })
    expect(await npmCalls()).toBe(install)
  })
})

describe('failures', () => {
  test('npm is missing', async () => {
    await rm(join(bin, 'npm'))
    expect(await run()).toEqual({
      status: 1,
      output: '',
      errors:
        'animal-store: npm is not on the PATH; install Node 18 or newer, with npm, and start again\n',
    })
  })

  test('Node is too old for npm', async () => {
    await writeScript('node', '#!/bin/sh\necho v16.20.2\n')
    expect(await run()).toEqual({
      status: 1,
      output: '',
      errors: 'animal-store: npm needs Node 18 or newer to install the packages; found v16.20.2\n',
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

  test('there is no Node package for this platform, and the Node on the PATH is too old', async () => {
    await writeScript('npm', '#!/bin/sh\nmkdir -p node_modules\n')
    const { status, errors } = await run()
    expect(status).toBe(1)
    expect(errors).toMatch(
      /^.*installing.*\nanimal-store: no Node for \w+ \w+ came with the packages, and none of version 26 .*\n$/,
    )
  })

  test('there is no Node package for this platform, and the Node on the PATH works', async () => {
    await writeScript('npm', '#!/bin/sh\nmkdir -p node_modules\n')
    await rm(join(bin, 'node'))
    await symlink(process.execPath, join(bin, 'node'))
    expect(await run()).toMatchObject({ status: 0, output: { arguments: ['keys', 'a b'] } })
  })

  test('the installed Node cannot run here (musl), and the Node on the PATH works', async () => {
    const node = `$PWD${pinnedFolder}/bin/node`
    await writeScript(
      'npm',
      `#!/bin/sh\nmkdir -p node_modules/vite/bin; cp vite.js node_modules/vite/bin
       mkdir -p "\${PWD}${pinnedFolder}/bin"; echo '#!/no/such/loader' >"${node}"
       ${execFileSync('which', ['chmod'], { encoding: 'utf8' }).trim()} 755 "${node}"\n`,
    )
    await rm(join(bin, 'node'))
    await symlink(process.execPath, join(bin, 'node'))
    expect(await run()).toMatchObject({ status: 0, errors: notice })
  })
})

describe('a program that cannot be built runs from its sources, with a message', () => {
  const fromSources = () => ({ program: join(root, 'server/cli/main.ts') })

  test('because the build fails: its output is shown', async () => {
    await writeFile(join(root, 'broken'), '')
    const { errors, output, status } = await run()
    expect({ output, status }).toMatchObject({ status: 0, output: fromSources() })
    expect(errors).toMatch(
      /Error: no such module[\s\S]*\nanimal-store: the program could not be built \(see above\); starting from the sources\n$/,
    )
    await rm(join(root, 'broken'))
    expect(await run()).toMatchObject({ status: 0, errors: building })
  })

  test('because the folder is read-only', async () => {
    await run()
    await rm(join(root, '.cache'), { recursive: true })
    await writeFile(join(root, '.cache'), '')
    expect(await run()).toMatchObject({
      status: 0,
      output: fromSources(),
      errors: `animal-store: cannot write to ${root}/.cache/program; starting from the sources, which takes longer\n`,
    })
  })
})

describe('the install lock', () => {
  const lock = () => join(root, '.cache/install.lock')

  test('of a process that has ended is removed', async () => {
    const gone = spawn('true')
    await once(gone, 'exit')
    await mkdir(lock(), { recursive: true })
    const machine = execFileSync('uname', ['-n'], { encoding: 'utf8' })
    await writeFile(join(lock(), 'owner'), `${gone.pid} ${machine}`)
    expect(await run()).toMatchObject({ status: 0, errors: notice })
  })

  test('of a running process is waited for, up to a limit', async () => {
    await mkdir(lock(), { recursive: true })
    const machine = execFileSync('uname', ['-n'], { encoding: 'utf8' })
    await writeFile(join(lock(), 'owner'), `${process.pid} ${machine}`)
    expect(await run({ environment: { INSTALL_TIMEOUT_SECONDS: '1' } })).toEqual({
      status: 1,
      output: '',
      errors: `animal-store: another install has held ${lock()} for too long; remove it and start again\n`,
    })
    expect(await npmCalls()).toBe('')
  })

  test('is removed after a SIGTERM during an installation', async () => {
    const child = launch({ environment: { NPM_SECONDS: '10' } })
    const ended = outcome(child)
    await expect.poll(npmCalls).toBe(install)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ status: 143 })
    expect(await run()).toMatchObject({ status: 0, errors: notice })
  })
})

test('a signal reaches the server', async () => {
  await run()
  const child = launch({ arguments: ['serve'] })
  const ended = outcome(child)
  const stdout = child.stdout
  if (!stdout) throw new Error('no standard output')
  await once(stdout, 'data')
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
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  child.kill('SIGTERM')
  await once(child, 'exit')
  await expect.poll(() => isAlive(pid)).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the real npm installs from a lock file, and no package runs a script', async () => {
  const name = pinnedFolder.split('/').at(-1) ?? ''
  await mkdir(join(root, 'made-here/bin'), { recursive: true })
  await symlink(process.execPath, join(root, 'made-here/bin/node'))
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall', 'prepare'].map((event) => [
      event,
      `echo ${event} >>"${folder}/script.calls"`,
    ]),
  )
  const made = { name, version: '1.0.0', scripts }
  await writeFile(join(root, 'made-here/package.json'), JSON.stringify(made))
  const vite = { name: 'vite', version: '1.0.0' }
  await mkdir(join(root, 'vite-made-here/bin'), { recursive: true })
  await copyFile(join(root, 'vite.js'), join(root, 'vite-made-here/bin/vite.js'))
  await writeFile(join(root, 'vite-made-here/package.json'), JSON.stringify(vite))
  const dependencies = { [name]: 'file:made-here', vite: 'file:vite-made-here' }
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ name: 'tiny', version: '1.0.0', type: 'module', dependencies, scripts }),
  )
  await writeLock('1.0.0', {
    '': { name: 'tiny', version: '1.0.0', dependencies },
    'made-here': { name, version: '1.0.0', hasInstallScript: true },
    [`node_modules/${name}`]: { resolved: 'made-here', link: true },
    'vite-made-here': vite,
    'node_modules/vite': { resolved: 'vite-made-here', link: true },
  })
  const environment = { PATH: process.env.PATH ?? '', HOME: folder }
  expect(await run({ environment })).toMatchObject({ status: 0, errors: notice })
  expect(await run({ environment })).toMatchObject({ status: 0, errors: '' })
  expect(existsSync(join(folder, 'script.calls'))).toBe(false)
})

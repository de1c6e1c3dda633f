// Runs the OpenAPI linters of test/tools on the command line.
import { execFile } from 'node:child_process'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tools = join(import.meta.dirname, 'tools')

/** The problems that Redocly finds in a document with its strictest rules. */
export async function redoclyProblems(text: string): Promise<unknown[]> {
  const words = ['lint', '--config=redocly.yaml', '--format=json']
  const said = await run('@redocly/cli/bin/cli.js', words, text)
  return JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)).problems
}

/** The problems that Spectral finds in a document with all of its rules. */
export async function spectralOutput(text: string): Promise<string> {
  const words = ['lint', '--ruleset=spectral.yaml', '--fail-severity=hint']
  return await run('@stoplight/spectral-cli/dist/index.js', words, text)
}

export const spectralSuccess = "No results with a severity of 'hint' or higher found!\n"

async function run(linter: string, words: string[], text: string): Promise<string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'openapi-'))
  const file = join(folder.path, 'openapi.yaml')
  writeFileSync(file, text)
  return await new Promise((resolve) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const program = [join(tools, 'node_modules', linter), ...words, file]
    const options = { cwd: tools, env, timeout: 120_000 }
    execFile(process.execPath, program, options, (error, stdout, stderr) => {
      resolve(error ? `${error.message}\n${stdout}${stderr}` : `${stdout}${stderr}`)
    })
  })
}

// Runs the OpenAPI linters of test/tools on the command line.
import { execFile } from 'node:child_process'
import { join } from 'node:path'

const tools = join(import.meta.dirname, 'tools')

/** The problems that Redocly finds in a file with its strictest rules. */
export async function redoclyProblems(file: string): Promise<unknown[]> {
  const said = await run('@redocly/cli/bin/cli.js', [
    'lint',
    '--config=redocly.yaml',
    '--format=json',
    file,
  ])
  return JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)).problems
}

/** The problems that Spectral finds in a file with all of its rules. */
export async function spectralOutput(file: string): Promise<string> {
  return await run('@stoplight/spectral-cli/dist/index.js', [
    'lint',
    '--ruleset=spectral.yaml',
    '--fail-severity=hint',
    file,
  ])
}

export const spectralSuccess = "No results with a severity of 'hint' or higher found!\n"

function run(file: string, words: string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const program = [join(tools, 'node_modules', file), ...words]
    const options = { cwd: tools, env, timeout: 120_000 }
    execFile(process.execPath, program, options, (error, stdout, stderr) => {
      resolve(error ? `${error.message}\n${stdout}${stderr}` : `${stdout}${stderr}`)
    })
  })
}

// Runs a request sample of an API reference as it is printed on its page.
import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeEnvironment } from './program.ts'

const run = promisify(execFile)

export const sampleLanguages = ['curl', 'javascript', 'python'] as const
export type SampleLanguage = (typeof sampleLanguages)[number]

/** The sample in the HTML of an operation's page. */
export function sampleIn(page: string, language: SampleLanguage): string {
  const start = page.indexOf(`data-language="${language}"`)
  const [, code] = /<code>([\s\S]*?)<\/code>/.exec(page.slice(start)) ?? []
  if (start < 0 || code === undefined) throw new Error(`the page has no sample in ${language}`)
  const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }
  return code
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name) => names[name] ?? '')
}

/** Returns what it prints. The folder has a `file` with the text "bytes", and curl prints its status last. */
export async function runSample(
  language: SampleLanguage,
  code: string,
  variables: Record<string, string>,
): Promise<string> {
  await using disposable = await mkdtempDisposable(join(tmpdir(), 'animal-store-sample-'))
  const folder = disposable.path
  await writeFile(join(folder, 'file'), 'bytes')
  await writeFile(join(folder, '.curlrc'), 'silent\nwrite-out = "\\n%{http_code}"\n')
  await writeFile(join(folder, 'sample.mjs'), code)
  const commands = {
    curl: ['/bin/sh', '-c', code],
    javascript: [process.execPath, 'sample.mjs'],
    python: ['python3', '-c', code],
  } as const
  const [program, ...words] = commands[language]
  const env = { ...nodeEnvironment, HOME: folder, ...variables }
  const { stdout } = await run(program, words, { cwd: folder, env, timeout: 60_000 })
  return stdout
}

/** The status that a sample printed. */
export function statusIn(output: string, language: SampleLanguage): number {
  return Number((language === 'curl' ? /\d+$/ : /^\d+/).exec(output)?.[0])
}

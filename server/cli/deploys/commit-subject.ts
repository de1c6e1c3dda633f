// The message of a deploy by default: the subject of the last commit of the folder's Git repository.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { maxMessageLength } from '#publishing/deploys/records/schema.ts'

const maxWaitMs = 2000
// A repository's own configuration must not start a program to check signatures.
const command = ['-c', 'log.showSignature=false', 'log', '-1', '--format=%s']

/** Undefined outside of a repository, without Git, and if Git does not answer in time. */
export async function findCommitSubject(folder: string): Promise<string | undefined> {
  const limits = { timeout: maxWaitMs, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 } as const
  const run = promisify(execFile)('git', ['-C', folder, ...command], limits)
  const subject = await run.then(({ stdout }) => shortMessage(stdout)).catch(() => '')
  return subject === '' ? undefined : subject
}

/** As the server accepts it: one line, at most `maxMessageLength` characters. */
export function shortMessage(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  const characters = [...line]
  if (characters.length <= maxMessageLength) return line
  return `${characters.slice(0, maxMessageLength - 1).join('')}…`
}

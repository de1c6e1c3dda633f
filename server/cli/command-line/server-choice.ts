// Which server a command works on: the one that --url or the environment names, else the local database.
import { ManagementError } from '../../../client/management-client.ts'
import { CommandError, type Option, UsageError } from './command.ts'

export const serverOptions: Record<'url' | 'token', Option> = {
  url: {
    value: 'URL',
    meaning: "Another server's dashboard URL. Default: ANIMAL_STORE_URL, else the local database.",
  },
  token: {
    value: 'TOKEN',
    meaning:
      'A personal access token for that server. Set ANIMAL_STORE_TOKEN instead to hide it from other users of this machine.',
  },
}

interface ServerOptions {
  url?: string | undefined
  token?: string | undefined
}

/** Undefined for the local database. Throws a UsageError. */
export function chosenServer(options: ServerOptions): { url: string; token: string } | undefined {
  const url = readUrl(options)
  if (url !== undefined) return { url, token: readToken(options) }
  if (options.token) throw new UsageError('--token requires --url')
  return undefined
}

/** Undefined where none is named. Throws a UsageError. */
export function readUrl(options: ServerOptions): string | undefined {
  const url = (options.url ?? process.env.ANIMAL_STORE_URL) || undefined
  if (url === undefined || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw new UsageError('--url accepts an http or https URL')
}

/** Throws a UsageError where there is none. */
export function readToken(options: ServerOptions): string {
  const token = options.token ?? process.env.ANIMAL_STORE_TOKEN
  if (token) return token
  throw new UsageError(
    '--token is missing: create one in the dashboard, under Account, or on the server with animal-store tokens create',
  )
}

/** An error response of a server becomes the error line of the command. */
export function asCommandError(error: unknown): unknown {
  if (!(error instanceof ManagementError)) return error
  const [first] = error.details
  const where = first?.path && !error.message.includes(first.path) ? ` (${first.path})` : ''
  return new CommandError(`${error.message}${where}`)
}

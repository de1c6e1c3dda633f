// Which server a command is for: one that --url or the environment names, else this machine's own database.
import { ManagementError } from '../../../client/management-client.ts'
import { CommandError, UsageError } from './command.ts'

/** Undefined for this machine's own. Throws a UsageError. */
export function chosenServer(options: {
  url?: string | undefined
  token?: string | undefined
}): { url: string; token: string } | undefined {
  const url = options.url ?? process.env.ANIMAL_STORE_URL
  const token = options.token ?? process.env.ANIMAL_STORE_TOKEN
  if (!url) {
    if (options.token) throw new UsageError('--token needs --url')
    return undefined
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('--url accepts an http or https address')
  }
  if (!token) throw new UsageError('--token is missing: create one in the dashboard, under Account')
  return { url, token }
}

/** What a server answered becomes the one line of a command that failed. */
export function asCommandError(error: unknown): unknown {
  if (!(error instanceof ManagementError)) return error
  const [first] = error.details
  const where = first?.path && !error.message.includes(first.path) ? ` (${first.path})` : ''
  return new CommandError(`${error.message}${where}`)
}

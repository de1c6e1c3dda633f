// Checks whether messages may be sent to a URL.
import { checkDestination, type Destinations, findUrlProblem } from '../network/http-client.ts'
import { invalid } from '../schema/checks.ts'

const maxResolveMs = 8000

/** Throws `invalid_body` for a URL that is malformed or not allowed. `hint` follows the reason. */
export async function checkUrl(url: string, destinations: Destinations, hint = ''): Promise<void> {
  const problem = findUrlProblem(url) ?? (await findRefusal(url, destinations, hint))
  if (problem) throw invalid('invalid_body', [{ path: 'url', message: `url ${problem}.` }])
}

async function findRefusal(url: string, destinations: Destinations, hint: string) {
  const signal = AbortSignal.timeout(maxResolveMs)
  const checked = await checkDestination(new URL(url), destinations, signal)
  return 'refused' in checked ? `cannot be sent events: ${checked.refused}${hint}` : undefined
}

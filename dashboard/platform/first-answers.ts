// The answers that the server sent with the page (server/platform/dashboard/page-frames.ts), for the queries of that
// page: each is used once, as what the query starts with.
import type { QueryKey } from '@tanstack/react-query'
import { parseExactJson } from '../../client/exact-json.ts'

/** Another page, opened later, requests its own. */
const maxAgeMs = 10_000

export const pageLoadedAt = Date.now()

/** By the keys of their queries (keyOf in requests.ts), joined. */
const answers = new Map<string, unknown>()
const element = document.getElementById('first-answers')
if (element?.textContent) {
  const sent = parseExactJson(element.textContent) as Record<string, unknown>
  for (const [path, answer] of Object.entries(sent))
    answers.set(path.slice(1).replace('?', '/'), answer)
}

/** Undefined if there is none for this key. */
export function takeFirstAnswer<Answer>(key: QueryKey): Answer | undefined {
  const name = key.join('/')
  const answer = answers.get(name) as Answer | undefined
  answers.delete(name)
  return Date.now() - pageLoadedAt < maxAgeMs ? answer : undefined
}

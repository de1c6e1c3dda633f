// Finds the problems of the redirects of a deploy (`_redirects`) after its files were published: rules that cannot be
// followed, and those that lead back to where they start.

import type { SourceProblem } from '#renderer/site-files/source-problem.ts'
import type { FileSource } from '../objects/read-objects.ts'
import {
  maxRedirectsBytes,
  type RedirectRule,
  readRedirects,
  redirectProblem,
} from '../redirects/read-redirects.ts'
import { createRedirectTable, leadsInCircle } from '../redirects/redirect-table.ts'
import { candidatesFor, cleanUrl } from '../sites/clean-url.ts'
import { factsOf } from '../sites/file-bytes.ts'
import { readContent } from './files.ts'
import type { DeployKey } from './records/deploy-row.ts'

export async function checkRedirects(
  source: FileSource,
  { number, project }: DeployKey,
  hash: string,
): Promise<SourceProblem[]> {
  const content = await readContent(source, hash)
  const { problems, rules } = readRedirects(content ?? new Uint8Array())
  if (!content || content.length > maxRedirectsBytes) return problems
  const table = createRedirectTable(rules)
  const lines = new TextDecoder().decode(content).split(/\r\n|\n|\r/)
  const deploy = { projectId: project, number: BigInt(number) }
  const isThere = async (path: string): Promise<boolean> => {
    const files = await factsOf(source.read, deploy, candidatesFor(path))
    return cleanUrl(path, (file) => files.has(file)) !== undefined
  }
  for (const rule of rules) {
    const found = table.find(sampleOf(rule))
    if (found?.rule !== rule || !(await leadsInCircle(table, found, isThere))) continue
    const message =
      'The rule leads back to where it starts, and is not applied. Correct its target.'
    problems.push(redirectProblem(message, rule.line, lines[rule.line - 1] ?? null))
  }
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

/** A path that the rule matches, unless an earlier rule does. */
function sampleOf({ from }: RedirectRule): string {
  return from.map((segment) => (segment === '*' ? 'sample' : segment.replace(/^:/, ''))).join('/')
}

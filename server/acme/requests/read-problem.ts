// Problem documents: the body of an error response, and inside challenges and orders. Invalid fields are left out,
// because an error remains an error even if it is malformed.
import type { ProblemDocument, Subproblem } from './acme-error.ts'
import { type Fields, readFields } from './read-response.ts'

const prefix = 'urn:ietf:params:acme:error:'
const maxDetail = 1000
const maxSubproblems = 100

/** A problem in a field; undefined when it is missing. */
export function readProblem(value: unknown): ProblemDocument | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Fields
  const { instance, status, subproblems } = fields
  return {
    ...typeAndDetail(fields),
    status: Number.isInteger(status) ? (status as number) : undefined,
    instance: typeof instance === 'string' ? sanitizeText(instance) : undefined,
    subproblems: (Array.isArray(subproblems) ? subproblems : [])
      .slice(0, maxSubproblems)
      .map(readSubproblem),
  }
}

/** The problem of an error response, even if its body is not a problem document. */
export function parseProblemResponse(
  status: number,
  body: Buffer,
): ProblemDocument & { status: number } {
  let problem: ProblemDocument | undefined
  try {
    problem = readProblem(readFields(body))
  } catch {
    problem = undefined
  }
  const { detail = '', instance, subproblems = [], type = 'about:blank' } = problem ?? {}
  return { type, detail: detail || `HTTP status ${status}`, status, instance, subproblems }
}

function readSubproblem(value: unknown): Subproblem {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Fields
  const { identifier } = fields
  const host =
    typeof identifier === 'object' && identifier !== null ? (identifier as Fields).value : undefined
  return {
    ...typeAndDetail(fields),
    identifier: typeof host === 'string' ? sanitizeText(host).toLowerCase() : undefined,
  }
}

function typeAndDetail({ detail, type }: Fields): { type: string; detail: string } {
  const named = typeof type === 'string' && type !== '' ? sanitizeText(type) : 'about:blank'
  return {
    type: named.startsWith(prefix) ? named.slice(prefix.length) : named,
    detail: typeof detail === 'string' ? sanitizeText(detail) : '',
  }
}

/** Untrusted text, made safe to show and store. */
function sanitizeText(text: string): string {
  return text
    .slice(0, maxDetail)
    .replaceAll(/[\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
}

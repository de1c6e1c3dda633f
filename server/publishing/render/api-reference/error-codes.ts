// The codes that errors may have, gathered from the schema of errors, from examples and from descriptions.
import { entriesField, fieldOf, listField, textField } from './document-values.ts'
import type { Operation } from './operation.ts'
import { oneLine } from './plain-text.ts'
import type { ReferenceContext } from './reference-context.ts'
import { viewSchema } from './schema-view.ts'

export interface ErrorCodes {
  /** Name of the schema. */
  schema: string
  codes: ErrorCode[]
}

export interface ErrorCode {
  code: string
  /** HTTP status codes, ascending. */
  statuses: string[]
  meaning: string | undefined
}

const codeFields = ['code', 'error_code', 'errorCode', 'error', 'type']
const maxCodes = 1_000

/** Undefined where no schema of errors lists its codes. */
export function readErrorCodes(
  context: ReferenceContext,
  operations: readonly Operation[],
): ErrorCodes | undefined {
  const schema = findErrorSchema(context)
  if (schema === undefined) return undefined
  const statuses = new Map<string, Set<string>>()
  const meanings = new Map<string, string>()
  const note = (code: string, status: string | undefined, meaning: string | undefined) => {
    if (status !== undefined && /^[45]\d\d$/.test(status)) {
      statuses.set(code, (statuses.get(code) ?? new Set()).add(status))
    }
    if (meaning !== undefined && !meanings.has(code)) meanings.set(code, oneLine(meaning))
  }
  const responses = operations.flatMap((operation) => operation.responses)
  for (const { status, description = '' } of responses) {
    const lines = description.slice(0, 20_000).matchAll(/^ *[-*] +`([^`\n]{1,100})`: *(\S.*)$/gm)
    for (const [, code = '', meaning] of lines) note(code, status, meaning)
  }
  for (const { status, media } of responses) {
    for (const { summary, value } of media.flatMap((item) => item.examples)) {
      noteExample(value, summary, status, { field: schema.field, note })
    }
  }
  const { root } = context.document
  for (const [, item] of entriesField(root.components, 'examples')) {
    const example = context.resolve(item).value
    const value = fieldOf(example, 'value')
    const status = textField(value, 'status')
    noteExample(value, textField(example, 'summary'), status, { field: schema.field, note })
  }
  const codes = schema.codes.slice(0, maxCodes).map((code) => ({
    code,
    statuses: [...(statuses.get(code) ?? [])].sort(),
    meaning: meanings.get(code),
  }))
  return { schema: schema.name, codes }
}

type Note = (code: string, status: string | undefined, meaning: string | undefined) => void

function noteExample(
  value: unknown,
  summary: string | undefined,
  status: string | undefined,
  { field, note }: { field: string; note: Note },
): void {
  const code = textField(value, field)
  if (code !== undefined) note(code, status, summary ?? textField(value, 'message'))
}

interface ErrorSchema {
  name: string
  field: string
  codes: string[]
}

function findErrorSchema({ document, resolve }: ReferenceContext): ErrorSchema | undefined {
  const found: ErrorSchema[] = []
  for (const [name, schema] of entriesField(document.root.components, 'schemas')) {
    if (!/error|problem|fault/i.test(name)) continue
    const { properties } = viewSchema(schema, resolve)
    for (const field of codeFields) {
      const { keywords } = viewSchema(properties.get(field), resolve)
      const codes = listField(keywords, 'enum').filter((code) => typeof code === 'string')
      if (codes.length > 0) found.push({ name, field, codes })
    }
  }
  return found.find(({ name }) => /^error$/i.test(name)) ?? found[0]
}

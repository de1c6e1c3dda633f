// Operations and schemas as Markdown, for llms.txt and for reading as text.

import { cut, exampleLanguage, exampleText, oneLine, plainText } from '../sources/plain-text.ts'
import type { Media, Operation } from './document/read-operations.ts'
import { examplesOf } from './document/sample-value.ts'
import {
  factText,
  type SchemaView,
  schemaFacts,
  typeText,
  viewSchema,
} from './document/schema-view.ts'
import { exampleRequest } from './example-request.ts'
import type { Reference, ReferenceContext } from './reference-context.ts'
import { curlExample } from './request-samples.ts'

const maxTextLength = 10_000

export function operationMarkdown(operation: Operation, reference: Reference): string {
  const { context, schemes } = reference
  const { title, method, route, stability, parameters, body, responses, security } = operation
  const { about, deprecation, mainResponse, replacement } = operation
  const blocks = [`# ${title}`, codeSpan(`${method} ${oneLine(route, 500)}`)]
  if (deprecation !== undefined)
    blocks.push(`> ${deprecation} ${oneLine(replacement ?? '', 1_000)}`.trim())
  if (stability) blocks.push(`> ${stability.title}. ${stability.meaning ?? ''}`.trim())
  if (about !== undefined) blocks.push(cut(about.trim(), maxTextLength))
  if (!operation.isWebhook) {
    blocks.push(fence(curlExample(exampleRequest(operation, reference)), 'sh'))
  }
  if (security !== undefined) {
    const ways = security.slice(0, 20).map((needs) => {
      const names = needs.map(({ scheme }) => {
        const declared = schemes.get(scheme)
        return declared?.code === undefined ? (declared?.title ?? scheme) : codeSpan(declared.code)
      })
      return names.join(' and ') || 'none'
    })
    blocks.push('## Authentication', oneLine(ways.join(', or ') || 'None.', 1_000))
  }
  if (parameters.length > 0) {
    const lines = parameters.map((parameter) => {
      const { deprecated, required, in: place } = parameter
      const facts = [place, required && 'required', deprecated && 'deprecated']
      return valueLine(parameter, facts, context)
    })
    blocks.push('## Parameters', lines.join('\n'))
  }
  if (body) {
    blocks.push('## Request body')
    if (body.description !== undefined) blocks.push(cut(body.description.trim(), maxTextLength))
    blocks.push(...body.media.flatMap((media) => mediaBlocks(media, context, true, true)))
  }
  if (responses.length > 0) blocks.push('## Responses')
  for (const response of responses) {
    const isMain = response === mainResponse
    blocks.push(`### ${`${response.status} ${response.phrase}`.trim()}`)
    if (response.description !== undefined)
      blocks.push(cut(response.description.trim(), maxTextLength))
    blocks.push(...response.media.flatMap((media) => mediaBlocks(media, context, false, isMain)))
  }
  const text = `${blocks.join('\n\n')}\n`
  context.charge(text.length)
  return text
}

function mediaBlocks(
  media: Media,
  context: ReferenceContext,
  isRequest: boolean,
  isUnfolded: boolean,
): string[] {
  const { type, schema } = media
  const view = viewSchema(schema, context.resolve)
  const words = isUnfolded ? '' : ` ${typeText(view, context.resolve)}`
  const blocks = [`${codeSpan(oneLine(type))}:${words}`]
  if (isUnfolded && schema !== undefined) blocks.push(schemaMarkdown(schema, context, isRequest))
  const [example] = examplesOf(media, { resolve: context.resolve, isRequest })
  const text = example && exampleText(example.value, type)
  if (text !== undefined) blocks.push(fence(cut(text, maxTextLength), exampleLanguage(type)))
  return blocks
}

/** Longer than any sequence of backticks in the code. */
function fence(text: string, language: string): string {
  const rows = text.match(/`{3,}/g) ?? []
  const ticks = '`'.repeat(Math.max(3, ...rows.map((row) => row.length + 1)))
  return `${ticks}${language}\n${text}\n${ticks}`
}

function codeSpan(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** One line for lists of operations. */
export function operationLine(operation: Operation): string {
  const { method, route, title, deprecation, stability, description } = operation
  const notes = [stability?.word, deprecation && 'deprecated'].filter(Boolean)
  const words = notes.length > 0 ? ` (${notes.join(', ')})` : ''
  return `- ${codeSpan(`${method} ${oneLine(route)}`)} ${title}${words}${description === undefined ? '' : `: ${oneLine(plainText(description))}`}`
}

const maxLines = 150
const maxDepth = 3

/** The type, and a list of its fields: in a request without read-only ones, in a response without write-only ones. */
export function schemaMarkdown(
  schema: unknown,
  context: ReferenceContext,
  isRequest?: boolean,
): string {
  const view = viewSchema(schema, context.resolve)
  const lines: string[] = []

  function add(parent: SchemaView, depth: number, trail: readonly string[]): void {
    const item = parent.items === undefined || parent.properties.size > 0
    const inner = item ? parent : viewSchema(parent.items, context.resolve)
    const refs = [...parent.refs, ...inner.refs]
    const isTooDeep = depth > (context.isLarge() ? 0 : maxDepth)
    if (isTooDeep || refs.some((ref) => trail.includes(ref))) return
    for (const [name, property] of inner.properties) {
      if (lines.length >= maxLines) return
      const about = viewSchema(property, context.resolve)
      if ((isRequest === true && about.readOnly) || (isRequest === false && about.writeOnly))
        continue
      const facts = [inner.required.has(name) && 'required']
      lines.push('  '.repeat(depth) + valueLine({ name, schema: property }, facts, context))
      add(about, depth + 1, [...trail, ...refs])
    }
  }

  add(view, 0, [])
  const type = typeText(view, context.resolve)
  const text = lines.length === 0 ? type : `${type}\n\n${lines.join('\n')}`
  context.charge(text.length)
  return text
}

/** One list item: name, type, restrictions, description. */
function valueLine(
  {
    name,
    schema,
    description,
  }: { name: string; schema: unknown; description?: string | undefined },
  words: readonly (string | false)[],
  context: ReferenceContext,
): string {
  const view = viewSchema(schema, context.resolve)
  const facts = [typeText(view, context.resolve), ...words.filter((word) => word !== false)]
  const more = schemaFacts(view).map(factText)
  const text = oneLine(description ?? view.description ?? '', 1_000)
  const sentences = more.map((fact) => `${fact.charAt(0).toUpperCase()}${cut(fact, 500).slice(1)}.`)
  const end = [text, ...sentences].join(' ').trim()
  const line = `- \`${oneLine(name)}\` (${facts.join(', ')})${end === '' ? '' : `: ${end}`}`
  context.charge(line.length)
  return line
}

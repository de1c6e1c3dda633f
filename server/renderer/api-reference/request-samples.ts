// The request of an operation in three languages, beside its response. Without scripts the language is chosen by radio
// buttons; site.js remembers the choice.
import { type Html, html } from '../markdown/html.ts'
import { curlExample } from './curl-example.ts'
import {
  type ExampleBody,
  type ExampleField,
  type ExampleRequest,
  exampleRequest,
} from './example-request.ts'
import { exactJson, indented, requestLiterals, stringLiteral } from './literals.ts'
import { mainResponse } from './operation-parts.ts'
import { exampleLanguage, exampleText, isJson } from './plain-text.ts'
import { pythonExample } from './python-example.ts'
import type { Operation } from './read-operations.ts'
import type { Reference } from './reference.ts'
import { sampleValue } from './sample-value.ts'

const languages = [
  { id: 'curl', title: 'curl', code: 'sh', write: curlExample },
  { id: 'javascript', title: 'JavaScript', code: 'js', write: javascriptExample },
  { id: 'python', title: 'Python', code: 'python', write: pythonExample },
]

export function requestSamples(operation: Operation, reference: Reference): Html {
  const { context } = reference
  const request = exampleRequest(operation, reference)
  const choices = languages.map(
    ({ id, title }, index) =>
      html`<label><input type="radio" name="api-language" value="${id}"${index === 0 && html` checked`}>${title}</label>`,
  )
  const samples = languages.map(
    ({ id, code, write }) =>
      html`<div class="api-sample" data-language="${id}">${context.code(write(request), code)}</div>
`,
  )
  return html`<fieldset class="api-samples"><legend class="unseen">Language of the example</legend>
<div class="api-languages">${choices}</div>
${samples}</fieldset>
${responseSample(operation, reference)}
`
}

/** The first example of the main response. */
function responseSample({ responses }: Operation, { context }: Reference): Html | false {
  const response = mainResponse(responses)
  const media = response?.media.find(({ type }) => isJson(type)) ?? response?.media[0]
  if (response === undefined || media === undefined) return false
  const { type, schema, examples } = media
  if (examples.length === 0 && (schema === undefined || !isJson(type))) return false
  const value =
    examples.length > 0
      ? examples[0]?.value
      : sampleValue(schema, { resolve: context.resolve, isRequest: false })
  return html`<div class="api-answer"><p class="api-answer-title">Response <span class="api-status api-status-${response.status.slice(0, 1)}">${response.status}</span></p>
${context.code(exampleText(value, type), exampleLanguage(type))}</div>`
}

/** A request as an ES module for Node.js, with fetch. Credentials are environment variables. */
function javascriptExample(request: ExampleRequest): string {
  const { method, hasUser, hasCertificate } = request
  // fetch rejects these.
  const body = method === 'GET' || method === 'HEAD' ? undefined : request.body
  const words = {
    variable: (name: string) => `process.env.${name}`,
    encoded: (value: string) => `encodeURIComponent(${value})`,
  }
  const type = body && 'type' in body ? body.type : undefined
  const { address, headers } = requestLiterals(request, words, type)
  const options = [
    method !== 'GET' && `  method: ${stringLiteral(method)},`,
    headers !== '' && `  headers: {\n    ${indented(headers, '    ')}\n  },`,
    body && `  body: ${bodyValue(body)},`,
  ].filter((line) => typeof line === 'string')
  const call = options.length === 0 ? address : `${address}, {\n${options.join('\n')}\n}`
  return [
    needsFile(body) && `import { readFile } from "node:fs/promises"\n`,
    hasCertificate &&
      '// fetch has no option for a client certificate: pass a dispatcher of undici that has it.',
    request.body && !body && `// fetch sends no body with ${method}.`,
    hasUser &&
      'const { USERNAME, PASSWORD } = process.env\nconst credentials = Buffer.from(USERNAME + ":" + PASSWORD).toString("base64")',
    body?.kind === 'multipart' && formLines(body.fields),
    `const response = await fetch(${call})\nconsole.log(response.status, await response.text())`,
  ]
    .filter((part) => typeof part === 'string')
    .join('\n')
}

function needsFile(body: ExampleBody | undefined): boolean {
  if (body?.kind === 'multipart') return body.fields.some(({ isFile }) => isFile)
  return body?.kind === 'file'
}

function bodyValue(body: ExampleBody): string {
  if (body.kind === 'file') return 'await readFile("file")'
  if (body.kind === 'multipart') return 'form'
  if (body.kind === 'urlencoded') {
    const pairs = body.fields.map(
      ({ name, text }) => `    [${stringLiteral(name)}, ${stringLiteral(text)}],\n`,
    )
    return `new URLSearchParams([\n${pairs.join('')}  ])`
  }
  const json = body.isJson ? exactJson(body.text) : undefined
  return json === undefined ? stringLiteral(body.text) : `JSON.stringify(${indented(json, '  ')})`
}

function formLines(fields: readonly (ExampleField & { isFile: boolean })[]): string {
  const lines = fields.map(({ name, text, isFile }) => {
    const value = isFile ? 'new Blob([await readFile("file")]), "file"' : stringLiteral(text)
    return `form.append(${stringLiteral(name)}, ${value})`
  })
  return ['const form = new FormData()', ...lines].join('\n')
}

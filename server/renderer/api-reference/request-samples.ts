// The request of an operation in three languages, beside its response. Without scripts the language is chosen by radio
// buttons; site.js remembers the choice. Each sample runs as printed: a curl command, quoted for POSIX shells (POSIX.1, Shell
// Command Language, section 2.2); an ES module for Node.js; and Python 3 with its standard library alone, because `requests`
// would have to be installed first. Credentials are environment variables.
import { type Html, html } from '../markdown/html.ts'
import { exampleLanguage, exampleText } from '../sources/plain-text.ts'
import type { Operation } from './document/read-operations.ts'
import { examplesOf, mainMedia } from './document/sample-value.ts'
import { type ExampleBody, type ExampleRequest, exampleRequest } from './example-request.ts'
import type { Reference } from './reference-context.ts'
import type { Part } from './request/written-form.js'

const languages = [
  { id: 'curl', title: 'curl', code: 'sh', write: curlExample },
  { id: 'javascript', title: 'JavaScript', code: 'js', write: javascriptExample },
  { id: 'python', title: 'Python', code: 'python', write: pythonExample },
]

export function requestSamples(operation: Operation, reference: Reference): Html {
  const { context } = reference
  const request = exampleRequest(operation, reference)
  const tabs = languages.map(
    ({ id, title, code, write }, index) =>
      html`<label class="tab api-language"><input type="radio" name="api-language" value="${id}"${index === 0 && html` checked`}><span>${title}</span></label>
<div class="tab-panel" data-language="${id}">${context.code(write(request), code)}</div>
`,
  )
  return html`<fieldset class="tabs"><legend class="unseen">Language of the example</legend>
${tabs}</fieldset>
${responseSample(operation, reference)}
`
}

/** The first example of the main response. */
function responseSample(
  { mainResponse: response }: Operation,
  { context }: Reference,
): Html | false {
  const media = mainMedia(response?.media)
  const options = { resolve: context.resolve, isRequest: false }
  const [example] = media ? examplesOf(media, options) : []
  if (!response || !media || !example) return false
  const caption = html`Response <span class="api-status api-status-${response.status.slice(0, 1)}">${response.status}</span>`
  const text = exampleText(example.value, media.type)
  return html`<div class="api-answer">${context.code(text, exampleLanguage(media.type), caption)}</div>`
}

function curlExample(request: ExampleRequest): string {
  const { method, headers, cookies, body } = request
  const keys = request.keys.map(({ text, variable }) => shellQuote(text, variable))
  // With a body, curl would send a POST.
  const option = method === 'HEAD' ? ' -I' : method === 'GET' && !body ? '' : ` -X ${method}`
  return [
    `curl${option} ${shellQuote(request.address)}${keys.join('')}`,
    ...(request.hasUser ? ['-u "$USERNAME:$PASSWORD"'] : []),
    ...(request.hasCertificate ? ['--cert client.pem --key client-key.pem'] : []),
    ...headers.map(({ name, text, variable }) => `-H ${shellQuote(`${name}: ${text}`, variable)}`),
    ...cookies.map(({ text, variable }) => `-b ${shellQuote(text, variable)}`),
    ...(body ? curlBody(body) : []),
  ].join(' \\\n  ')
}

function curlBody(body: ExampleBody): string[] {
  if (body.kind === 'multipart') return body.parts.map(curlPart)
  const { kind, text, type } = body
  if (kind === 'urlencoded' && text === undefined) {
    return body.parts.map(({ name, text }) => {
      // curl encodes what follows the first equals sign.
      const key = encodeURIComponent(name).replaceAll(/%5[BD]/g, decodeURIComponent)
      return `--data-urlencode ${shellQuote(`${key}=${text}`)}`
    })
  }
  const header = `-H ${shellQuote(`Content-Type: ${type}`)}`
  if (text === undefined) return [header, '--data-binary @file']
  // curl reads a value with a leading @ from a file.
  return [header, `${text.startsWith('@') ? '--data-raw' : '-d'} ${shellQuote(text)}`]
}

/** A value with a type is not text alone: quotes keep what curl would read in it. */
function curlPart({ name, text, type, isFile }: Part): string {
  if (isFile) return `-F ${shellQuote(`${name}=@file${type === undefined ? '' : `;type=${type}`}`)}`
  if (type === undefined) return `--form-string ${shellQuote(`${name}=${text}`)}`
  const isPlain = !/^["@<(\s]|;/.test(text)
  const value = isPlain ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  return `-F ${shellQuote(`${name}=${value};type=${type}`)}`
}

/**
 * One word that the shell passes on unchanged, followed by the value of a variable. NUL, which arguments cannot contain, is
 * removed.
 */
function shellQuote(text: string, variable?: string): string {
  const word = text.replaceAll('\0', '')
  if (variable !== undefined && /^[\w :,=/.-]*$/.test(word)) return `"${word}$${variable}"`
  const quoted = /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
  return variable === undefined ? quoted : `${quoted}"$${variable}"`
}

/** How a language writes the parts of a request. A string of JSON is a string literal in both. */
const javascript = {
  /** The value of an environment variable. */
  variable: (name: string) => `process.env.${name}`,
  /** It, encoded for a query. */
  encoded: (name: string) => `encodeURIComponent(process.env.${name})`,
  /** Bodies: a string literal, exact JSON, a form of `"name", "value"`, and the file. */
  text: (literal: string) => literal,
  json: (json: string) => `JSON.stringify(${indented(json, '  ')})`,
  form: (pairs: string[]) =>
    `new URLSearchParams([\n${pairs.map((pair) => `    [${pair}],\n`).join('')}  ])`,
  file: 'await readFile("file")',
}

type Language = typeof javascript

function javascriptExample(request: ExampleRequest): string {
  const { method, hasUser, hasCertificate } = request
  // fetch rejects these.
  const body = method === 'GET' || method === 'HEAD' ? undefined : request.body
  const { address, fields, data } = literalsOf({ ...request, body }, javascript, body?.type)
  const options = lines(
    method !== 'GET' && `  method: ${literal(method)},`,
    fields !== '' && `  headers: {\n    ${indented(fields, '    ')}\n  },`,
    data !== undefined && `  body: ${data},`,
  )
  const call = options === '' ? address : `${address}, {\n${options}\n}`
  const code = lines(
    hasCertificate &&
      '// fetch has no option for a client certificate: pass a dispatcher of undici that has it.',
    request.body && !body && `// fetch sends no body with ${method}.`,
    hasUser &&
      'const { USERNAME, PASSWORD } = process.env\nconst credentials = Buffer.from(USERNAME + ":" + PASSWORD).toString("base64")',
    body?.kind === 'multipart' && javascriptParts(body.parts),
    `const response = await fetch(${call})\nconsole.log(response.status, await response.text())`,
  )
  const needsFile = withoutStrings(code).includes('readFile(')
  return `${needsFile ? 'import { readFile } from "node:fs/promises"\n\n' : ''}${code}`
}

const withoutStrings = (code: string): string => code.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')

function javascriptParts(fields: readonly Part[]): string {
  const parts = fields.map(({ name, text, type, isFile }) => {
    const options = type === undefined ? '' : `, { type: ${literal(type)} }`
    const content = isFile ? 'await readFile("file")' : literal(text)
    const value = isFile || type !== undefined ? `new Blob([${content}]${options})` : content
    return `form.append(${literal(name)}, ${value}${isFile ? ', "file"' : ''})`
  })
  return lines('const form = new FormData()', ...parts)
}

const python: Language = {
  variable: (name) => `os.environ["${name}"]`,
  encoded: (name) => `urllib.parse.quote(os.environ["${name}"], safe="")`,
  text: (literal) => `${literal}.encode()`,
  json: (json) => `json.dumps(${indented(pythonLiteral(json), '    ')}).encode()`,
  form: (pairs) =>
    `urllib.parse.urlencode([\n${pairs.map((pair) => `        (${pair}),\n`).join('')}    ]).encode()`,
  file: 'open("file", "rb").read()',
}

const modules = 'base64 json os ssl urllib.error urllib.parse urllib.request'.split(' ')

function pythonExample(request: ExampleRequest): string {
  const { method, hasUser, hasCertificate, body } = request
  const isMultipart = body?.kind === 'multipart'
  // urllib itself sends the type of a form.
  const type = isMultipart ? `multipart/form-data; boundary=${boundary}` : body?.type
  const { address, fields, data } = literalsOf(request, python, type)
  const code = lines(
    hasUser &&
      "credentials = base64.b64encode(\n    f\"{os.environ['USERNAME']}:{os.environ['PASSWORD']}\".encode()\n).decode()",
    hasCertificate &&
      'context = ssl.create_default_context()\ncontext.load_cert_chain("client.pem", "client-key.pem")',
    isMultipart && pythonParts(body.parts),
    `request = urllib.request.Request(\n    ${address},\n    method=${literal(method)},`,
    fields !== '' && `    headers={\n        ${indented(fields, '        ')}\n    },`,
    data !== undefined && `    data=${data},`,
    ')\ntry:',
    `    response = urllib.request.urlopen(request${hasCertificate ? ', context=context' : ''})`,
    'except urllib.error.HTTPError as error:\n    response = error',
    'print(response.status, response.read().decode())',
  )
  const bare = withoutStrings(code)
  const used = modules.filter((name) => bare.includes(`${name}.`) || (name === 'os' && hasUser))
  return lines(...used.map((name) => `import ${name}`), '', code)
}

const boundary = 'form-5f1d8c2ab94e'

/** The parts of a form (RFC 7578), which the standard library does not write. */
function pythonParts(fields: readonly Part[]): string {
  const parts = fields.flatMap(({ name, text, type, isFile }) => {
    const shown = name.replaceAll('"', '%22').replaceAll(/[\r\n]+/g, ' ')
    const file = isFile ? '; filename="file"' : ''
    const typed = type === undefined ? '' : `\r\nContent-Type: ${type}`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${shown}"${file}${typed}\r\n\r\n`
    const value = isFile ? python.file : python.text(literal(text))
    return [`    ${literal(head)}.encode(),`, `    ${value},`, '    b"\\r\\n",']
  })
  return lines('form = b"".join([', ...parts, `    b"--${boundary}--\\r\\n",`, '])')
}

/** With credentials; `fields` are the lines of an object of headers. With a user, `credentials` is a variable of the sample. */
function literalsOf(
  { body, cookies, hasUser, headers, keys, ...request }: ExampleRequest,
  language: Language,
  contentType: string | undefined,
) {
  const written = (text: string, variable?: string): string => {
    const parts = [text && literal(text), variable && language.variable(variable)]
    return parts.filter(Boolean).join(' + ') || '""'
  }
  const cookie = cookies.map(({ text, variable }, index) =>
    written(`${index > 0 ? '; ' : ''}${text}`, variable),
  )
  const fields = lines(
    hasUser && '"Authorization": "Basic " + credentials,',
    ...headers.map(({ name, text, variable }) => `${literal(name)}: ${written(text, variable)},`),
    cookies.length > 0 && `"Cookie": ${cookie.join(' + ')},`,
    contentType !== undefined && `"Content-Type": ${literal(contentType)},`,
  )
  const query = keys.flatMap(({ text, variable }) => [literal(text), language.encoded(variable)])
  const address = [literal(request.address), ...query].join(' + ')
  return { address, fields, data: body && dataOf(body, language) }
}

function dataOf(body: ExampleBody, language: Language): string {
  if (body.kind === 'file') return language.file
  if (body.kind === 'multipart') return 'form'
  if (body.text === undefined) {
    return language.form(body.parts.map(({ name, text }) => `${literal(name)}, ${literal(text)}`))
  }
  const json = body.kind === 'text' && body.isJson ? exactJson(body.text) : undefined
  return json === undefined ? language.text(literal(body.text)) : language.json(json)
}

const literal = (text: string): string => JSON.stringify(text.toWellFormed())

const lines = (...parts: unknown[]): string =>
  parts.filter((part) => typeof part === 'string').join('\n')

/**
 * JSON indented by two, if JavaScript reads and writes it without a change. Otherwise undefined: it is no JSON, or has
 * integers above 2^53, a number written unusually, or a `__proto__`, which would not be a property.
 */
function exactJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const [short, long = ''] = [undefined, 2].map((space) => JSON.stringify(value, null, space))
    const isExact = (text === short || text === long) && !text.includes('"__proto__"')
    return isExact ? long : undefined
  } catch {
    return undefined
  }
}

const pythonWords: Record<string, string> = { true: 'True', false: 'False', null: 'None' }

/** A Python literal for `json`, which exactJson returned, indented by four. */
function pythonLiteral(json: string): string {
  const token = /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g
  const wide = json.replaceAll(/^ +/gm, (margin) => margin + margin)
  return wide.replaceAll(token, (found) => pythonWords[found] ?? found)
}

/** With all lines but the first indented by `margin`. */
const indented = (code: string, margin: string): string => code.replaceAll('\n', `\n${margin}`)

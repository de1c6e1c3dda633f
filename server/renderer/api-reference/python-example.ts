// A request in Python 3, with its standard library alone, so that it runs as printed: `requests` would have to be
// installed first. Credentials are environment variables.
import type { ExampleBody, ExampleField, ExampleRequest } from './example-request.ts'
import { exactJson, indented, pythonLiteral, stringLiteral } from './literals.ts'

export function pythonExample(request: ExampleRequest): string {
  const { method, cookies, keys, hasUser, hasCertificate, body } = request
  const headers = request.headers.map((field) => header(field.name, fieldValue(field)))
  if (hasUser) headers.unshift(header('Authorization', '"Basic " + credentials'))
  if (cookies.length > 0) headers.push(header('Cookie', cookieValue(cookies)))
  const contentType = body && contentTypeOf(body)
  if (contentType !== undefined) headers.push(header('Content-Type', contentType))
  const data = body && dataOf(body)
  const usesVariables =
    hasUser || [...keys, ...request.headers, ...cookies].some(({ variable }) => variable)
  const imports = [
    hasUser && 'base64',
    data?.startsWith('json.') && 'json',
    usesVariables && 'os',
    hasCertificate && 'ssl',
    'urllib.error',
    (keys.length > 0 || body?.kind === 'urlencoded') && 'urllib.parse',
    'urllib.request',
  ].filter((name) => typeof name === 'string')
  const parts = [
    `${imports.map((name) => `import ${name}`).join('\n')}\n`,
    hasUser &&
      "credentials = base64.b64encode(\n    f\"{os.environ['USERNAME']}:{os.environ['PASSWORD']}\".encode()\n).decode()",
    hasCertificate &&
      'context = ssl.create_default_context()\ncontext.load_cert_chain("client.pem", "client-key.pem")',
    body?.kind === 'multipart' && multipartLines(body.fields),
    'request = urllib.request.Request(',
    `    ${addressValue(request)},`,
    `    method=${stringLiteral(method)},`,
    headers.length > 0 && `    headers={\n${headers.join('\n')}\n    },`,
    data !== undefined && `    data=${data},`,
    ')',
    'try:',
    `    response = urllib.request.urlopen(request${hasCertificate ? ', context=context' : ''})`,
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  ]
  return parts.filter((part) => typeof part === 'string').join('\n')
}

function header(name: string, value: string): string {
  return `        ${stringLiteral(name)}: ${value},`
}

function fieldValue({ text, variable }: ExampleField): string {
  if (variable === undefined) return stringLiteral(text)
  const value = `os.environ["${variable}"]`
  return text === '' ? value : `${stringLiteral(text)} + ${value}`
}

function cookieValue(cookies: readonly ExampleField[]): string {
  return cookies
    .map((field, index) => {
      return fieldValue({ ...field, text: `${index > 0 ? '; ' : ''}${field.name}=${field.text}` })
    })
    .join(' + ')
}

function addressValue({ address, keys }: ExampleRequest): string {
  let value = stringLiteral(address)
  for (const [index, { name, variable }] of keys.entries()) {
    const sign = index > 0 || address.includes('?') ? '&' : '?'
    const key = `urllib.parse.quote(os.environ["${variable}"], safe="")`
    value += ` + ${stringLiteral(`${sign}${name}=`)} + ${key}`
  }
  return value
}

function contentTypeOf(body: ExampleBody): string | undefined {
  if (body.kind === 'multipart') return stringLiteral(`multipart/form-data; boundary=${boundary}`)
  // urllib itself sends the type of a form.
  return body.kind === 'urlencoded' ? undefined : stringLiteral(body.type)
}

function dataOf(body: ExampleBody): string {
  if (body.kind === 'file') return 'open("file", "rb").read()'
  if (body.kind === 'multipart') return 'b"".join(parts)'
  if (body.kind === 'urlencoded') {
    const pairs = body.fields.map(
      ({ name, text }) => `        (${stringLiteral(name)}, ${stringLiteral(text)}),\n`,
    )
    return `urllib.parse.urlencode([\n${pairs.join('')}    ]).encode()`
  }
  const json = body.isJson ? exactJson(body.text) : undefined
  if (json === undefined) return `${stringLiteral(body.text)}.encode()`
  return `json.dumps(${indented(pythonLiteral(json), '    ')}).encode()`
}

const boundary = 'form-5f1d8c2ab94e'

/** The parts of a form (RFC 7578), which the standard library does not write. */
function multipartLines(fields: readonly (ExampleField & { isFile: boolean })[]): string {
  const lines = fields.flatMap(({ name, text, isFile }) => {
    const shown = name.replaceAll('"', '%22').replaceAll(/[\r\n]+/g, ' ')
    const file = isFile ? '; filename="file"' : ''
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${shown}"${file}\r\n\r\n`
    const value = isFile ? 'open("file", "rb").read()' : `${stringLiteral(text)}.encode()`
    return [`    ${stringLiteral(head)}.encode(),`, `    ${value},`, '    b"\\r\\n",']
  })
  return ['parts = [', ...lines, `    b"--${boundary}--\\r\\n",`, ']'].join('\n')
}

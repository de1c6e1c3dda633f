// A request in Python 3, with its standard library alone, so that it runs as printed: `requests` would have to be
// installed first. Credentials are environment variables.
import type { ExampleBody, ExampleField, ExampleRequest } from './example-request.ts'
import { exactJson, indented, pythonLiteral, requestLiterals, stringLiteral } from './literals.ts'

export function pythonExample(request: ExampleRequest): string {
  const { method, cookies, keys, hasUser, hasCertificate, body } = request
  const words = {
    variable: (name: string) => `os.environ["${name}"]`,
    encoded: (value: string) => `urllib.parse.quote(${value}, safe="")`,
  }
  const { address, headers } = requestLiterals(request, words, body && contentTypeOf(body))
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
    `    ${address},`,
    `    method=${stringLiteral(method)},`,
    headers !== '' && `    headers={\n        ${indented(headers, '        ')}\n    },`,
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

function contentTypeOf(body: ExampleBody): string | undefined {
  if (body.kind === 'multipart') return `multipart/form-data; boundary=${boundary}`
  // urllib itself sends the type of a form.
  return body.kind === 'urlencoded' ? undefined : body.type
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

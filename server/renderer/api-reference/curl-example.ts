// A request as a curl command. Credentials are variables of the shell.
import type { ExampleBody, ExampleRequest } from './example-request.ts'
import { shellQuote, shellQuoteWithVariable } from './plain-text.ts'

export function curlExample(request: ExampleRequest): string {
  const { method, headers, cookies, body } = request
  const lines: string[] = []
  let address = shellQuote(request.address)
  for (const { name, variable } of request.keys) {
    const sign = address.includes('?') ? '&' : '?'
    address = `${address}${shellQuote(`${sign}${name}=`)}"$${variable}"`
  }
  if (request.hasUser) lines.push('-u "$USERNAME:$PASSWORD"')
  if (request.hasCertificate) lines.push('--cert client.pem --key client-key.pem')
  for (const { name, text, variable } of headers) {
    lines.push(`-H ${wordOf(`${name}: ${text}`, variable)}`)
  }
  for (const { name, text, variable } of cookies) {
    lines.push(`-b ${wordOf(`${name}=${text}`, variable)}`)
  }
  if (body) lines.push(...bodyLines(body))
  return [`curl${methodOption(method, body !== undefined)} ${address}`, ...lines].join(' \\\n  ')
}

function wordOf(text: string, variable: string | undefined): string {
  return variable === undefined ? shellQuote(text) : shellQuoteWithVariable(text, variable)
}

function methodOption(method: string, hasBody: boolean): string {
  if (method === 'HEAD') return ' -I'
  // With a body, curl would send a POST.
  return method === 'GET' && !hasBody ? '' : ` -X ${method}`
}

function bodyLines(body: ExampleBody): string[] {
  if (body.kind === 'urlencoded') {
    return body.fields.map(({ name, text }) => `--data-urlencode ${shellQuote(`${name}=${text}`)}`)
  }
  if (body.kind === 'multipart') {
    return body.fields.map(({ name, text, isFile }) => {
      const part = shellQuote(isFile ? `${name}=@file` : `${name}=${text}`)
      return `${isFile ? '-F' : '--form-string'} ${part}`
    })
  }
  const header = `-H ${shellQuote(`Content-Type: ${body.type}`)}`
  if (body.kind === 'file') return [header, '--data-binary @file']
  // curl reads a value with a leading @ from a file.
  const option = body.text.startsWith('@') ? '--data-raw' : '-d'
  return [header, `${option} ${shellQuote(body.text)}`]
}

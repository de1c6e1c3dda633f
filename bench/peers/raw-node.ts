// The upper limit of the runtime: node:http that sends fixed bytes, with the headers and bodies of the Animal Store, and
// echoes the body of a POST or PATCH. No API keys, no routing, no storage.
// RESPONSES names a JSON file: {list, pet, created, port}; each response is {headers: [name, value, …], body}.
// Bodies are strings with one character per byte: node:http writes a string together with the headers, which is
// faster than writing a Buffer after them.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

interface RecordedResponse {
  headers: string[]
  body: string
}

const responses: Record<'list' | 'pet' | 'created', RecordedResponse> & { port: number } =
  JSON.parse(readFileSync(process.env.RESPONSES ?? '', 'utf8'))
const list = Buffer.from(responses.list.body).toString('latin1')
const pet = Buffer.from(responses.pet.body).toString('latin1')
const createdHeaders = responses.created.headers.map((value, index, all) =>
  index % 2 === 1 && /^content-length$/i.test(all[index - 1] ?? '') ? '' : value,
)
const lengthIndex = createdHeaders.indexOf('')

const server = createServer((request, response) => {
  if (request.method !== 'GET') {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1')
    })
    request.on('end', () => {
      const headers = createdHeaders.slice()
      if (lengthIndex >= 0) headers[lengthIndex] = String(body.length)
      response.writeHead(201, headers)
      response.end(body, 'latin1')
    })
    return
  }
  if (request.url?.startsWith('/v1/pets/')) {
    response.writeHead(200, responses.pet.headers)
    response.end(pet, 'latin1')
    return
  }
  response.writeHead(200, responses.list.headers)
  response.end(list, 'latin1')
})

server.listen(responses.port, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

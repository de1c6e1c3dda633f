// The limit of the runtime: node:http that sends fixed bytes, with the header names and the body
// of our own answers, and echoes what is posted or patched. No key check, no routing, no storage.
// ANSWERS names a JSON file: {list, pet, created}, each {headers: [name, value, …], body}.
// Bodies are strings of one character for each byte: node:http joins a string to its headers and
// writes both at once, which is faster than a Buffer.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

interface Answer {
  headers: string[]
  body: string
}

const answers: Record<'list' | 'pet' | 'created', Answer> = JSON.parse(
  readFileSync(process.env.ANSWERS ?? '', 'utf8'),
)
const list = Buffer.from(answers.list.body).toString('latin1')
const pet = Buffer.from(answers.pet.body).toString('latin1')
const createdHeaders = answers.created.headers.map((value, index, all) =>
  index % 2 === 1 && /^content-length$/i.test(all[index - 1] ?? '') ? '' : value,
)
const lengthAt = createdHeaders.indexOf('')

const server = createServer((request, response) => {
  if (request.method !== 'GET') {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1')
    })
    request.on('end', () => {
      const headers = createdHeaders.slice()
      if (lengthAt >= 0) headers[lengthAt] = String(body.length)
      response.writeHead(201, headers)
      response.end(body, 'latin1')
    })
    return
  }
  if (request.url?.startsWith('/v1/pets/')) {
    response.writeHead(200, answers.pet.headers)
    response.end(pet, 'latin1')
    return
  }
  response.writeHead(200, answers.list.headers)
  response.end(list, 'latin1')
})

server.listen(Number(process.env.HTTP_PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

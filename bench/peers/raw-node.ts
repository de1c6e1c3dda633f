// The limit of the runtime: node:http that sends fixed bytes, with the header names and the body
// of our own answers, and echoes what is posted. No key check, no routing, no storage.
// ANSWERS names a JSON file: {list, pet, created}, each {headers: [name, value, …], body}.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

interface Answer {
  headers: string[]
  body: string
}

const answers: Record<'list' | 'pet' | 'created', Answer> = JSON.parse(
  readFileSync(process.env.ANSWERS ?? '', 'utf8'),
)
const list = Buffer.from(answers.list.body)
const pet = Buffer.from(answers.pet.body)
const createdHeaders = answers.created.headers.map((value, index, all) =>
  index % 2 === 1 && /^content-length$/i.test(all[index - 1] ?? '') ? '' : value,
)
const lengthAt = createdHeaders.indexOf('')

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const headers = createdHeaders.slice()
      if (lengthAt >= 0) headers[lengthAt] = String(body.length)
      response.writeHead(201, headers)
      response.end(body)
    })
    return
  }
  if (request.url?.startsWith('/v1/pets/')) {
    response.writeHead(200, answers.pet.headers)
    response.end(pet)
    return
  }
  response.writeHead(200, answers.list.headers)
  response.end(list)
})

server.listen(Number(process.env.HTTP_PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

// What Node's sockets allow: fixed bytes for whatever arrives, without reading it. It is no server, only the cost of the
// steps that every server on Node has. A POST is inserted into a table; those of one turn of the event loop share a
// transaction and an fsync. RESPONSES names a JSON file: {list, pet, created, port}, with whole responses, one character per
// byte (`created`: its headers, and the file of the database).

import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

interface Settings {
  list: string
  pet: string
  created: { head: string; file: string }
  port: number
}

const settings: Settings = JSON.parse(readFileSync(process.env.RESPONSES ?? '', 'utf8'))
const { created, list, pet, port } = settings
const petLine = 'GET /v1/pets/'
const insertAll = openDatabase(created.file)
const creates: { socket: Socket; body: string }[] = []

function respond(socket: Socket): void {
  socket.on('data', (chunk: Buffer) => {
    const line = chunk.toString('latin1', 0, petLine.length)
    if (line.startsWith('POST')) create(socket, chunk)
    else socket.write(line === petLine ? pet : list, 'latin1')
  })
  socket.on('error', () => {})
}

function create(socket: Socket, chunk: Buffer): void {
  if (creates.length === 0) setImmediate(createAll)
  creates.push({ socket, body: chunk.toString('utf8', chunk.indexOf('\r\n\r\n')) })
}

function createAll(): void {
  const all = creates.splice(0)
  const ids = insertAll(all.map(({ body }) => JSON.parse(body)))
  for (const [index, { body: sent, socket }] of all.entries()) {
    const body = JSON.stringify({ id: ids[index], ...JSON.parse(sent) })
    socket.write(`${created.head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
}

/** The pages that the Animal Store writes: a table with its columns and indexes, and a row of counters. */
function openDatabase(file: string): (pets: Record<string, string>[]) => (number | bigint)[] {
  const database = new DatabaseSync(file)
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table pets (
      id integer primary key, name text not null, category_id integer not null, status text not null
    ) strict;
    create index pets_by_status on pets (status, id, name, category_id);
    create index pets_by_name on pets (lower(name), id);
    create index pets_by_category on pets (category_id, id);
    create table state (last_id integer not null) strict;
    insert into state values (0);
  `)
  const insert = database.prepare('insert into pets (name, category_id, status) values (?, ?, ?)')
  const count = database.prepare('update state set last_id = last_id + ?')
  return (pets) => {
    database.exec('begin immediate')
    const ids = pets.map(({ categoryId = 0, name = '', status = '' }) => {
      return insert.run(name, categoryId, status).lastInsertRowid
    })
    count.run(pets.length)
    database.exec('commit')
    return ids
  }
}

createServer({ noDelay: true }, respond).listen(port, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

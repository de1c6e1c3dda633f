// What Node's sockets allow: fixed bytes for whatever arrives, without reading it. It is no server, only the cost of the
// steps that every server on Node has. A write writes the pages that it writes in the Animal Store; those of one turn of the
// event loop share a transaction and an fsync. A change or an order is of the animal that was created last. RESPONSES names a JSON file: {list, pet, created, port}, with whole responses, one character per
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
const writeAll = openDatabase(created.file)
const writes: { socket: Socket; chunk: Buffer }[] = []

function respond(socket: Socket): void {
  socket.on('data', (chunk: Buffer) => {
    const line = chunk.toString('latin1', 0, petLine.length)
    if (line.startsWith('P')) write(socket, chunk)
    else socket.write(line === petLine ? pet : list, 'latin1')
  })
  socket.on('error', () => {})
}

function write(socket: Socket, chunk: Buffer): void {
  if (writes.length === 0) setImmediate(commit)
  writes.push({ socket, chunk })
}

function commit(): void {
  const all = writes.splice(0)
  const bodies = writeAll(all.map(({ chunk }) => chunk.toString()))
  for (const [index, { socket }] of all.entries()) {
    const body = bodies[index] ?? ''
    socket.write(`${created.head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
}

/** Tables with the columns and indexes of the Animal Store's, and a row of counters. Writes requests, and returns bodies. */
function openDatabase(file: string): (requests: string[]) => string[] {
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
    create table orders (
      id integer primary key, pet_id integer not null, status text not null, created_at integer not null
    ) strict;
    create index orders_by_status on orders (status, id);
    create index orders_by_pet on orders (pet_id, id);
    create unique index open_orders on orders (pet_id) where status in ('placed', 'approved');
    create table state (last_id integer not null) strict;
    insert into state values (0);
  `)
  const insert = database.prepare('insert into pets (name, category_id, status) values (?, ?, ?)')
  const change = database.prepare('update pets set name = ?, category_id = ? where id = ?')
  const setStatus = database.prepare('update pets set status = ? where id = ?')
  const place = database.prepare(
    `insert or ignore into orders (pet_id, status, created_at) values (?, 'placed', ?)`,
  )
  const deliver = database.prepare(`update orders set status = 'delivered' where id = ?`)
  const count = database.prepare('update state set last_id = last_id + ?')
  const pets: bigint[] = []
  const orders: { order: bigint; pet: bigint }[] = []

  function write(request: string): string {
    if (request.startsWith('POST /v1/store/orders/')) {
      const { order, pet } = orders.pop() ?? { order: 0n, pet: 0n }
      deliver.run(order)
      setStatus.run('sold', pet)
      return `{"id":${order},"petId":${pet},"status":"delivered"}`
    }
    const fields = JSON.parse(request.slice(request.indexOf('\r\n\r\n')))
    let pet = pets.at(-1) ?? 0n
    if (request.startsWith('PATCH')) change.run(fields.name, fields.categoryId, pet)
    else if (request.startsWith('POST /v1/store/orders')) {
      pets.pop()
      setStatus.run('pending', pet)
      orders.push({ order: BigInt(place.run(pet, Date.now()).lastInsertRowid), pet })
    } else {
      pet = BigInt(insert.run(fields.name, fields.categoryId, fields.status).lastInsertRowid)
      pets.push(pet)
    }
    return JSON.stringify({ id: Number(pet), ...fields })
  }

  return (requests) => {
    database.exec('begin immediate')
    const bodies = requests.map(write)
    count.run(requests.length)
    database.exec('commit')
    return bodies
  }
}

createServer({ noDelay: true }, respond).listen(port, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

// The mix of writes: create an animal, patch it, order it, deliver or cancel the order; each a
// quarter of the requests, each answer on disk. load/mix.lua sends it, and takes every identifier
// from the answer before.

import { type Answer, ask } from '../http-client.ts'
import type { Server } from '../servers/server.ts'
import type { Sample } from '../wrk.ts'
import type { FleetJob } from './fleet-job.ts'

/** `newPetsFile` has the bodies of available animals. */
export function mixJobs(newPetsFile: (server: Server) => string): FleetJob[] {
  return [1, 32].map((connections): FleetJob => {
    const firstOrders = new Map<Server, number>()
    return {
      name: `mix, ${connections} connection${connections === 1 ? '' : 's'}`,
      connections,
      async prepare(server) {
        if (server.dialect.orders === undefined) return undefined
        const identifiers = server.engine === '' ? 'fixed' : 'follow'
        return { kind: 'mix', file: newPetsFile(server), identifiers }
      },
      async check(server) {
        const order = await checkOrders(server)
        if (!firstOrders.has(server)) firstOrders.set(server, order)
      },
      async checkAfter(server, samples) {
        if (server.engine === '') return
        const taken = (await checkOrders(server)) - (firstOrders.get(server) ?? 0)
        checkSteps(server, samples, connections, taken)
      },
      targets: { otherServers: { least: 3 } },
    }
  })
}

/** Takes two animals through the mix; returns the identifier of the last order. */
async function checkOrders(server: Server): Promise<number> {
  await checkChain(server, 'deliver', 'delivered', 'sold')
  return await checkChain(server, 'cancel', 'cancelled', 'available')
}

async function checkChain(server: Server, verb: string, moved: string, then: string) {
  const { create = '', orders = '', petPath } = server.dialect
  const post = (path: string, value?: object, method = 'POST'): Promise<Answer> => {
    if (value === undefined) return ask(server, path, { method })
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return ask(server, path, { method, body: JSON.stringify(value), type })
  }
  const name = `Mixed ${verb}`
  const pet = await post(create, { name, categoryId: 7, status: 'available' })
  if (server.engine === '') {
    expectFields(server, pet, 201, { name, categoryId: 7 })
    return 0
  }
  const { id }: { id: number } = JSON.parse(pet.body)
  const path = petPath?.(id) ?? ''
  expectFields(server, await post(path, { categoryId: 51 }, 'PATCH'), 200, { id, categoryId: 51 })
  const order = await post(orders, { petId: id })
  expectFields(server, order, 201, { petId: id, status: 'placed' })
  expectFields(server, await post(orders, { petId: id }), 409, { code: 'pet_not_available' })
  const held = { name, categoryId: 51, status: 'pending' }
  expectFields(server, await ask(server, path), 200, held)
  const { id: orderId }: { id: number } = JSON.parse(order.body)
  const done = await post(`${orders}/${orderId}/${verb}`)
  expectFields(server, done, 200, { id: orderId, petId: id, status: moved })
  expectFields(server, await post(`${orders}/${orderId}/${verb}`), 409, { code: 'conflict' })
  expectFields(server, await ask(server, path), 200, { ...held, status: then })
  return orderId
}

/** The steps came in equal parts, and every acknowledged order has an identifier of its own. */
function checkSteps(server: Server, samples: Sample[], connections: number, taken: number): void {
  let placed = 0
  for (const { steps } of samples) {
    if (!steps) throw new Error(`${server.label}: the load generator counted no steps`)
    const counts = Object.values(steps)
    if (Math.max(...counts) - Math.min(...counts) > connections) {
      throw new Error(`${server.label}: not a quarter each: ${JSON.stringify(steps)}`)
    }
    placed += steps.placed
  }
  if (taken < placed) {
    throw new Error(`${server.label}: ${placed} orders acknowledged, but only ${taken} kept`)
  }
}

function expectFields(server: Server, answer: Answer, status: number, fields: object): void {
  const found: Record<string, unknown> =
    answer.status === status ? JSON.parse(answer.body) : { status: answer.status }
  for (const [name, value] of Object.entries(fields)) {
    if (answer.status === status && found[name] === value) continue
    throw new Error(
      `${server.label}: not ${status} with ${name} ${value}: ${answer.status} ${answer.body}`,
    )
  }
}

// The mix of writes: create an animal, patch it, order it, then deliver or cancel the order. Each step is a quarter
// of the requests, and each response is sent after the data is on disk. load/mix.lua sends the requests and takes
// every identifier from the response before.

import { type HttpResponse, sendRequest } from '../harness/http-client.ts'
import type { Sample } from '../results/sample.ts'
import type { Server } from '../servers/server.ts'
import { type ComparisonJob, storeOnSqliteLabel, timesAsFast } from './comparison.ts'

/** `writeBodies` writes bodies of available animals to a file and returns its path. */
export function createMixJobs(writeBodies: (server: Server) => string): ComparisonJob[] {
  return [1, 32].map((connections): ComparisonJob => {
    const firstOrders = new Map<Server, number>()
    return {
      name: `mix, ${connections} connection${connections === 1 ? '' : 's'}`,
      connections,
      async prepare(server) {
        if (server.api.ordersPath === undefined) return undefined
        const identifiers = server.engine === '' ? 'fixed' : 'follow'
        return { kind: 'mix', file: writeBodies(server), identifiers }
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
      targets: {
        ...(connections === 32 && { [storeOnSqliteLabel]: { minRatio: 0.6 } }),
        ...timesAsFast(connections === 1 ? 1.1 : 3.5),
      },
    }
  })
}

/** Checks the mix with two animals. Returns the identifier of the last order. */
async function checkOrders(server: Server): Promise<number> {
  await checkOrder(server, 'deliver', 'delivered', 'sold')
  return await checkOrder(server, 'cancel', 'cancelled', 'available')
}

async function checkOrder(server: Server, verb: string, orderStatus: string, petStatus: string) {
  const { createPath = '', ordersPath = '', petPath } = server.api
  const post = (path: string, value?: object, method = 'POST'): Promise<HttpResponse> => {
    if (value === undefined) return sendRequest(server, path, { method })
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return sendRequest(server, path, { method, body: JSON.stringify(value), type })
  }
  const name = `Mixed ${verb}`
  const pet = await post(createPath, { name, categoryId: 7, status: 'available' })
  if (server.engine === '') {
    expectFields(server, pet, 201, { name, categoryId: 7 })
    return 0
  }
  const { id }: { id: number } = JSON.parse(pet.body)
  const path = petPath?.(id) ?? ''
  expectFields(server, await post(path, { categoryId: 51 }, 'PATCH'), 200, { id, categoryId: 51 })
  const order = await post(ordersPath, { petId: id })
  expectFields(server, order, 201, { petId: id, status: 'placed' })
  expectFields(server, await post(ordersPath, { petId: id }), 409, { code: 'pet_not_available' })
  const reserved = { name, categoryId: 51, status: 'pending' }
  expectFields(server, await sendRequest(server, path), 200, reserved)
  const { id: orderId }: { id: number } = JSON.parse(order.body)
  const moved = await post(`${ordersPath}/${orderId}/${verb}`)
  expectFields(server, moved, 200, { id: orderId, petId: id, status: orderStatus })
  expectFields(server, await post(`${ordersPath}/${orderId}/${verb}`), 409, { code: 'conflict' })
  expectFields(server, await sendRequest(server, path), 200, { ...reserved, status: petStatus })
  return orderId
}

/** Checks that each step ran equally often and that every acknowledged order took its own identifier. */
function checkSteps(server: Server, samples: Sample[], connections: number, taken: number): void {
  let placed = 0
  for (const { steps } of samples) {
    if (!steps) throw new Error(`${server.label}: the load generator did not count the steps`)
    const counts = Object.values(steps)
    if (Math.max(...counts) - Math.min(...counts) > connections) {
      throw new Error(`${server.label}: the steps are not a quarter each: ${JSON.stringify(steps)}`)
    }
    placed += steps.placed
  }
  if (taken < placed) {
    throw new Error(`${server.label}: ${placed} orders were acknowledged, but only ${taken} stored`)
  }
}

function expectFields(
  server: Server,
  response: HttpResponse,
  status: number,
  fields: object,
): void {
  const found: Record<string, unknown> =
    response.status === status ? JSON.parse(response.body) : { status: response.status }
  for (const [name, value] of Object.entries(fields)) {
    if (response.status === status && found[name] === value) continue
    throw new Error(
      `${server.label}: expected ${status} with ${name} ${value}: ${response.status} ${response.body}`,
    )
  }
}

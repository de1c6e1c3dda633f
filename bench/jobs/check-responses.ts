// Checks whether a store's responses are correct. Runs before and after each job, never during measurement.
// Each function throws an Error that names the server and its wrong response.

import { isDeepStrictEqual } from 'node:util'
import { type HttpResponse, headerNames, sendRequest } from '../harness/http-client.ts'
import type { Pet } from '../seed/seed-animals.ts'
import type { RecordedResponses } from '../servers/fixed-servers.ts'
import { animalStore, type Server } from '../servers/server.ts'

export async function checkHotList(server: Server, { list }: RecordedResponses): Promise<void> {
  const response = await sendRequest(server, server.api.listPath)
  const pets = checkList(server, response)
  const expected: Pet[] = JSON.parse(list.body)
  const withNumericIds = pets.map((pet) => ({ ...pet, id: Number(pet.id) }))
  const isEqual = isDeepStrictEqual(inFieldOrder(withNumericIds), inFieldOrder(expected))
  expect(isEqual, server, 'unexpected animals', response)
  if (![animalStore, 'raw node:http', 'bare node:net', 'nginx'].includes(server.label)) return
  expect(response.body === list.body, server, 'unexpected bytes', response)
  if (server.label === 'nginx') return
  const [names, expectedNames] = [headerNames(response), headerNames(list)]
  const problem = `unexpected headers: ${names} instead of ${expectedNames}`
  expect(isDeepStrictEqual(names, expectedNames), server, problem)
}

export async function checkColdLists(server: Server, paths: string[]): Promise<void> {
  const pages = new Set<string>()
  const selected = [0, 1, 2, paths.length >> 1, paths.length - 2, paths.length - 1]
  for (const path of selected.map((index) => paths[index] ?? '')) {
    const response = await sendRequest(server, path)
    const pets = checkList(server, response)
    const isFiltered = pets.every((pet) => pet.status === 'available')
    if (!hasFixedResponses(server)) {
      expect(isFiltered, server, `not all animals are available at ${path}`, response)
    }
    pages.add(response.body)
  }
  if (hasFixedResponses(server)) return
  expect(pages.size === selected.length, server, 'different paths returned the same page')
}

export async function checkPets(server: Server, ids: number[]): Promise<void> {
  for (const id of ids) {
    const response = await sendRequest(server, server.api.petPath?.(id) ?? '')
    expect(response.status === 200, server, `animal ${id} not found`, response)
    const pet: Pet = JSON.parse(response.body)
    const isRight = hasFixedResponses(server) || Number(pet.id) === id
    expect(isRight, server, `not animal ${id}`, response)
  }
}

/** Creates one animal. Returns its identifier. */
export async function checkCreate(server: Server): Promise<Pet['id']> {
  const body = JSON.stringify({ name: 'Checked 1', categoryId: 7, status: 'pending' })
  const response = await sendRequest(server, server.api.createPath ?? '', { method: 'POST', body })
  expect(response.status === 201, server, 'animal not created', response)
  const pet: Pet = JSON.parse(response.body)
  const isRight = pet.name === 'Checked 1' && pet.categoryId === 7
  expect(isRight, server, 'not the created animal', response)
  return pet.id
}

/** Checks that every acknowledged create took its own identifier between `before` and `after`. */
export function checkCreated(server: Server, before: Pet['id'], after: Pet['id'], count: number) {
  if (server.engine === '') return
  const taken = Number(after) - Number(before)
  expect(taken >= count, server, `${count} creates were acknowledged, but only ${taken} stored`)
}

function checkList(server: Server, response: HttpResponse): Pet[] {
  expect(response.status === 200, server, 'status is not 200', response)
  const isJson = response.header('Content-Type')?.startsWith('application/json')
  expect(isJson, server, 'not JSON', response)
  const pets = server.api.parseList(response.body)
  expect(pets.length === 20, server, `${pets.length} animals instead of 20`, response)
  return pets
}

/** These servers send the same response for every identifier and cursor. */
function hasFixedResponses({ label }: Server): boolean {
  return ['raw node:http', 'bare node:net'].includes(label)
}

function inFieldOrder(pets: Pet[]): Pet[] {
  return pets.map(({ id, name, categoryId, status }) => ({ id, name, categoryId, status }))
}

function expect(
  condition: unknown,
  { label }: Server,
  problem: string,
  response?: HttpResponse,
): void {
  if (condition) return
  const details = response ? `: ${response.status} ${response.body.slice(0, 300)}` : ''
  throw new Error(`${label}: ${problem}${details}`)
}

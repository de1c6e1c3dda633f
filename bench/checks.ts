// Is what a server answers right? Asked before and after each job, never while it is measured.
// Each throws an Error that names the server and what it answered instead.

import { isDeepStrictEqual } from 'node:util'
import { type Answer, ask } from './http-client.ts'
import type { CapturedAnswers } from './servers/raw-node-server.ts'
import type { Pet, Server } from './servers/server.ts'

export async function checkHotList(server: Server, { list }: CapturedAnswers): Promise<void> {
  const answer = await ask(server, server.dialect.hot)
  const pets = checkList(server, answer)
  const expected: Pet[] = JSON.parse(list.body)
  const plain = pets.map((pet) => ({ ...pet, id: Number(pet.id) }))
  expect(isDeepStrictEqual(sorted(plain), sorted(expected)), server, 'other animals', answer)
  if (!['ours', 'raw node:http', 'nginx'].includes(server.label)) return
  expect(answer.body === list.body, server, 'other bytes than ours', answer)
  if (server.label === 'nginx') return
  const ourNames = headerNames(list)
  const names = headerNames(answer)
  expect(isDeepStrictEqual(names, ourNames), server, `other headers: ${names}, not ${ourNames}`)
}

export async function checkColdLists(server: Server, paths: string[]): Promise<void> {
  const pages = new Set<string>()
  const chosen = [0, 1, 2, paths.length >> 1, paths.length - 2, paths.length - 1]
  for (const path of chosen.map((index) => paths[index] ?? '')) {
    const answer = await ask(server, path)
    const pets = checkList(server, answer)
    const filtered = pets.every((pet) => pet.status === 'available')
    if (!isCanned(server)) expect(filtered, server, `not all available at ${path}`, answer)
    pages.add(answer.body)
  }
  if (isCanned(server) || server.label === 'json-server') return
  expect(pages.size === chosen.length, server, 'pages that should differ are the same')
}

export async function checkPets(server: Server, ids: number[]): Promise<void> {
  for (const id of ids) {
    const answer = await ask(server, server.dialect.petPath?.(id) ?? '')
    expect(answer.status === 200, server, `no animal ${id}`, answer)
    const pet: Pet = JSON.parse(answer.body)
    expect(isCanned(server) || Number(pet.id) === id, server, `another animal than ${id}`, answer)
  }
}

/** Creates one animal; returns its identifier. */
export async function checkCreate(server: Server): Promise<Pet['id']> {
  const body = JSON.stringify({ name: 'Checked 1', categoryId: 7, status: 'pending' })
  const answer = await ask(server, server.dialect.create ?? '', { method: 'POST', body })
  expect(answer.status === 201, server, 'not created', answer)
  const pet: Pet = JSON.parse(answer.body)
  if (server.label !== 'Prism mock') {
    expect(pet.name === 'Checked 1' && pet.categoryId === 7, server, 'another animal', answer)
  }
  return pet.id
}

/** Every acknowledged create has taken an identifier of its own. */
export function checkCreated(server: Server, before: Pet['id'], after: Pet['id'], count: number) {
  if (server.engine === '') return
  const taken = Number(after) - Number(before)
  expect(taken >= count, server, `${count} creates acknowledged, but only ${taken} kept`)
}

function checkList(server: Server, answer: Answer): Pet[] {
  expect(answer.status === 200, server, 'not 200', answer)
  expect(answer.header('Content-Type')?.startsWith('application/json'), server, 'not JSON', answer)
  const pets = server.dialect.readPets(answer.body)
  expect(pets.length === 20, server, `${pets.length} animals instead of 20`, answer)
  return pets
}

/** Those that answer the same whatever is asked. */
function isCanned({ label }: Server): boolean {
  return ['raw node:http', 'Prism mock'].includes(label)
}

function headerNames({ rawHeaders }: Answer): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0).toSorted()
}

function sorted(pets: Pet[]): Pet[] {
  return pets.map(({ id, name, categoryId, status }) => ({ id, name, categoryId, status }))
}

function expect(holds: unknown, { label }: Server, problem: string, answer?: Answer): void {
  if (holds) return
  const seen = answer ? `: ${answer.status} ${answer.body.slice(0, 300)}` : ''
  throw new Error(`${label}: ${problem}${seen}`)
}

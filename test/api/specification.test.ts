// Every row of the tables in the specification, in its words. Authentication: authentication.test.ts.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { serving, store } from './serving.ts'

interface Pet {
  id: number
  name: string
  categoryId: number
  status: string
}

const errorBody = (status: number) => ({
  code: expect.stringMatching(/^[a-z_]+$/),
  message: expect.stringMatching(/\S/),
  status,
})

describe.each(cases(engines))('the specification on %s', (engine) => {
  serving(engine)

  describe('List all animals: GET /pets', () => {
    it('200: a page of animals, an array of Pet', async () => {
      const { status, headers, json } = await store.askStaging('/pets')
      expect([status, headers['content-type']]).toEqual([200, 'application/json'])
      // Rate limits are off unless configured.
      expect(Object.keys(headers).join()).not.toMatch(/ratelimit/)
      for (const pet of json as Pet[]) {
        expect(pet).toEqual({
          id: expect.any(Number),
          name: expect.any(String),
          categoryId: expect.any(Number),
          status: expect.stringMatching(/^(available|pending|sold)$/),
        })
      }
    })

    it('limit: default 20', async () => {
      expect((await store.askStaging('/pets')).json).toHaveLength(20)
    })

    it.each([1, 2, 100])('limit: maximum number of animals returned (%i)', async (limit) => {
      const { json } = await store.askStaging(`/pets?limit=${limit}`)
      expect(json).toHaveLength(Math.min(limit, 50))
    })

    it.each(['0', '101', '-1', '', 'ten', '1.5', '1e1', '+5', '05', '9223372036854775808'])(
      'limit: minimum 1, maximum 100, so not %j',
      async (limit) => {
        const details = [{ path: 'limit', message: expect.stringMatching(/\b1\b.*\b100\b/) }]
        const json = { code: 'invalid_parameter', status: 400, details }
        const response = await store.askStaging(`/pets?limit=${limit}`)
        expect(response).toMatchObject({ status: 400, json })
      },
    )

    it.each(['available', 'pending', 'sold'])('status: filter by availability (%s)', async (s) => {
      const { json } = await store.askStaging(`/pets?limit=100&status=${s}`)
      const all = (await store.askStaging('/pets?limit=100')).json as Pet[]
      expect(json).toEqual(all.filter((pet) => pet.status === s))
      expect(json).not.toEqual([])
    })

    it.each(['Available', 'lost', '', 'available,sold', 'available '])(
      'status: one of available, pending, sold, so not %j',
      async (s) => {
        const message = expect.stringContaining('available, pending, sold')
        const json = { code: 'invalid_parameter', details: [{ path: 'status', message }] }
        const response = await store.askStaging(`/pets?status=${encodeURIComponent(s)}`)
        expect(response).toMatchObject({ status: 400, json })
      },
    )

    it('names all wrong parameters at once, repeated and unknown ones too', async () => {
      const { json } = await store.askStaging('/pets?limit=0&status=x&id=y&limit=3&offset=3')
      const { details } = json as { details: { path: string }[] }
      expect(details.map(({ path }) => path)).toEqual(['offset', 'limit', 'status', 'id'])
    })
  })

  describe('Add an animal: POST /pets', () => {
    const add = (body: unknown) => store.ask('/pets', { body })

    it('201: animal added; the body carries the assigned id', async () => {
      const { status, headers, json } = await add({ name: 'Rex', categoryId: 7, status: 'sold' })
      expect(status).toBe(201)
      expect(headers['content-type']).toBe('application/json')
      const { id } = json as Pet
      expect(json).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 7, status: 'sold' })
      expect(headers.location).toBe(`${store.baseUrl.production}/pets/${id}`)
      expect((await store.ask(`/pets/${id}`)).json).toEqual(json)
    })

    it('status: not required; available when omitted, stored and returned', async () => {
      const { json } = await add({ name: 'Bo', categoryId: 1 })
      expect(json).toMatchObject({ status: 'available' })
      expect((await store.ask(`/pets?id=${(json as Pet).id}`)).json).toEqual([json])
    })

    it('id: assigned by the service in ascending order; an id in the body is ignored', async () => {
      const first = (await add({ name: 'A', categoryId: 1 })).json as Pet
      const second = (await add({ id: 1, name: 'B', categoryId: 1, tag: [] })).json as Pet
      expect(second).toEqual({ id: first.id + 1, name: 'B', categoryId: 1, status: 'available' })
    })

    it.each([
      ['name', { categoryId: 1 }],
      ['name', { name: null, categoryId: 1 }],
      ['name', { name: 5, categoryId: 1 }],
      ['categoryId', { name: 'Rex' }],
      ['categoryId', { name: 'Rex', categoryId: '1' }],
      ['categoryId', { name: 'Rex', categoryId: 1.5 }],
      ['categoryId', { name: 'Rex', categoryId: null }],
      ['status', { name: 'Rex', categoryId: 1, status: 'lost' }],
      ['status', { name: 'Rex', categoryId: 1, status: null }],
      ['', []],
      ['', null],
      ['', '"Rex"'],
    ])(
      '400: body missing required fields or containing invalid values: %s of %j',
      async (path, b) => {
        const { status, headers, json } = await add(b)
        expect(status).toBe(400)
        expect(headers['content-type']).toBe('application/json')
        expect(json).toEqual({
          ...errorBody(400),
          code: 'invalid_body',
          details: [{ path, message: expect.any(String) }],
        })
      },
    )

    it('400: all problems at once', async () => {
      const { json } = await add({ name: '', categoryId: true, status: 1 })
      const { details } = json as { details: { path: string }[] }
      expect(details.map(({ path }) => path)).toEqual(['name', 'categoryId', 'status'])
    })
  })

  describe('Get an animal (deprecated): GET /pets/{petId}', () => {
    it('200: the requested animal', async () => {
      const { status, json } = await store.askStaging('/pets/1')
      expect(status).toBe(200)
      expect(json).toEqual({ id: 1, name: 'Rex', categoryId: 1, status: 'available' })
    })

    it.each([
      ...['51', '0', '-1', '9007199254740993', '9223372036854775807', '9223372036854775808'],
      ...['01', '1.0', '1e0', '+1', 'rex', '1%20', '%', '%E0%A4%A', '1%00', '%2F', '٣', '1;x'],
    ])('404: the requested resource could not be found (%s)', async (petId) => {
      const path = `/pets/${encodeURI(petId).replaceAll('%25', '%')}`
      const { status, headers, json } = await store.askStaging(path)
      expect([status, headers['content-type']]).toEqual([404, 'application/json'])
      expect(json).toEqual({ ...errorBody(404), code: 'pet_not_found' })
    })
  })

  it('both base URLs end in /v1', () => {
    expect(store.baseUrl.production).toMatch(/^http:\/\/localhost:\d+\/v1$/)
    expect(store.baseUrl.staging).toMatch(/^http:\/\/staging\.localhost:\d+\/v1$/)
  })
})

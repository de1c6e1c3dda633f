// The checker of the chaos tests finds what is wrong in a history, and only that.
import { describe, expect, it } from 'vitest'
import { checkHistory } from './check-history.ts'
import { emptyHistory, type Operation, type Outcome } from './history.ts'
import type { FinalAnimal } from './models.ts'

type Line = [kind: string, outcome: Outcome, seen?: unknown, input?: string]

/** The operations of one client on one subject, a second each. */
function operationsOf(lines: Line[], subject = 'Rex'): Operation[] {
  return lines.map(([kind, outcome, seen, input], i) => ({
    client: 1,
    subject,
    kind,
    ...(input !== undefined && { input }),
    invokedAt: i * 1000,
    completedAt: i * 1000 + 500,
    outcome,
    seen,
  }))
}

const check = (lines: Line[], subject?: string): string[] =>
  checkHistory({ ...emptyHistory(), operations: operationsOf(lines, subject) })

const rex = (name = 'Rex', status = 'available') => ({ name, status })
const final = (pets: object[], orders: string[] = []): Line => [
  'final',
  'acknowledged',
  { pets, orders } as FinalAnimal,
]
const created: Line = ['create', 'acknowledged', rex(), 'Rex']
const rename = (outcome: Outcome, name = 'Rex 2'): Line => [
  'rename',
  outcome,
  outcome === 'acknowledged' ? rex(name) : undefined,
  name,
]
const read = (seen: object): Line => ['read', 'acknowledged', seen]
const ordered: Line = ['order', 'acknowledged', 'placed']

describe('a history that is right', () => {
  const right: Record<string, Line[]> = {
    'nothing fails': [created, rename('acknowledged'), read(rex('Rex 2')), final([rex('Rex 2')])],
    'an unknown create was done': [['create', 'unknown', undefined, 'Rex'], final([rex()])],
    'an unknown create was not done': [['create', 'unknown', undefined, 'Rex'], final([])],
    'a refused create was not done': [['create', 'refused', undefined, 'Rex'], final([])],
    'an unknown rename takes effect later': [
      created,
      rename('unknown'),
      read(rex()),
      read(rex('Rex 2')),
      final([rex('Rex 2')]),
    ],
    'an unknown rename takes effect after the next one': [
      created,
      rename('unknown'),
      rename('acknowledged', 'Rex 3'),
      final([rex('Rex 2')]),
    ],
    'an order is delivered': [
      created,
      ordered,
      ['deliver', 'acknowledged', 'delivered'],
      final([rex('Rex', 'sold')], ['delivered']),
    ],
    'an unknown order keeps the animal from being ordered again': [
      created,
      ['order', 'unknown'],
      ['order', 'rejected'],
      final([rex('Rex', 'pending')], ['placed']),
    ],
    'a deleted animal is gone, its orders stay': [
      created,
      ordered,
      ['cancel', 'acknowledged', 'cancelled'],
      ['delete', 'acknowledged', null],
      ['read', 'rejected'],
      final([], ['cancelled']),
    ],
  }
  it.each(Object.entries(right))('%s', (_, lines) => {
    expect(check(lines)).toEqual([])
  })
})

describe('a history with a fault', () => {
  const wrong: Record<string, [lines: Line[], found: RegExp]> = {
    'an acknowledged create is missing': [[created, final([])], /^lost: final of Rex/],
    'a create was done twice': [[created, final([rex(), rex()])], /^doubled: final of Rex/],
    'an acknowledged rename is missing at the end': [
      [created, rename('acknowledged'), final([rex()])],
      /^lost: final of Rex/,
    ],
    'a read shows what was before an acknowledged rename': [
      [created, rename('acknowledged'), read(rex())],
      /^stale: read of Rex by client 1 at 2.50 s was answered with .*"Rex".*; possible: .*"Rex 2"/,
    ],
    'a read goes back behind what another one has seen of an unknown rename': [
      [created, rename('unknown'), read(rex('Rex 2')), read(rex())],
      /^stale: read of Rex/,
    ],
    'a refused rename was done': [
      [created, rename('refused'), read(rex('Rex 2'))],
      /^changed after a 503: read of Rex/,
    ],
    'a refused create was done': [
      [['create', 'refused', undefined, 'Rex'], final([rex()])],
      /^changed after a 503: final of Rex/,
    ],
    'an acknowledged order is missing': [[created, ordered, final([rex()])], /^lost: final of Rex/],
    'an animal is ordered twice': [
      [created, ordered, ['order', 'acknowledged', 'placed']],
      /^lost: order of Rex/,
    ],
    'a deleted animal comes back': [
      [created, ['delete', 'acknowledged', null], read(rex())],
      /^stale: read of Rex/,
    ],
    'nothing explains it': [[created, read(rex('Momo'))], /^wrong: read of Rex/],
  }
  it.each(Object.entries(wrong))('%s', (_, [lines, found]) => {
    const violations = check(lines)
    expect(violations).toHaveLength(1)
    expect(violations[0]).toMatch(found)
  })

  it('a revoked API key is accepted', () => {
    const use = (seen: string): Line => ['use', 'acknowledged', seen]
    const issued: Line = ['issue', 'acknowledged', null]
    const revoked: Line = ['revoke', 'acknowledged', null]
    expect(check([issued, use('active'), revoked, use('revoked')], 'key 1')).toEqual([])
    expect(check([issued, revoked, use('active')], 'key 1')).toEqual([
      expect.stringMatching(/^stale: use of key 1/),
    ])
    expect(check([issued, use('none')], 'key 1')).toEqual([
      expect.stringMatching(/^stale: use of key 1/),
    ])
  })

  it('two clients hold one animal', () => {
    const hold = (client: number, heldFrom: number, heldUntil: number) => ({
      client,
      animal: 7,
      heldFrom,
      heldUntil,
    })
    const of = (...holds: ReturnType<typeof hold>[]) => checkHistory({ ...emptyHistory(), holds })
    expect(of(hold(1, 0, 10), hold(2, 10, 20))).toEqual([])
    expect(of(hold(1, 0, 10), hold(2, 9, 20))).toEqual([
      'doubled: animal 7 was sold to clients 1 and 2',
    ])
  })

  it('ids do not ascend, or repeat', () => {
    const creation = (id: number, invokedAt: number, completedAt: number) => ({
      sequence: 'pets',
      id,
      invokedAt,
      completedAt,
    })
    const of = (...creations: ReturnType<typeof creation>[]) =>
      checkHistory({ ...emptyHistory(), creations })
    expect(of(creation(2, 0, 9), creation(1, 1, 9), creation(3, 10, 11))).toEqual([])
    expect(of(creation(5, 0, 1), creation(4, 2, 3))).toEqual([
      'lost: id 4 of pets was given after 5',
    ])
    expect(of(creation(5, 0, 2), creation(5, 1, 3))).toEqual(['doubled: id 5 of pets'])
  })

  it('an unexpected response is a violation', () => {
    expect(checkHistory({ ...emptyHistory(), unexpected: ['GET /pets: 500'] })).toEqual([
      'GET /pets: 500',
    ])
  })
})

// Attempts to get the host of another owner with only an account, a project, and records that the owner left in DNS.
// Each is refused, and the attacker sees why, until a TXT record exists.

import { afterEach, describe, expect, it } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import type { BoughtZone } from '../lab/buy-zone.ts'
import { day, hour, minute } from '../publishing/publishing-in-test.ts'
import { shared } from '../shared.ts'
import { type DomainsInTest, type Owner, startDomains, target } from './domains-in-test.ts'

interface Stage {
  world: DomainsInTest
  /** The owner of the zone, with a project. */
  victim: Owner
  attacker: Owner
  zone: BoughtZone
  host: string
}

const us = `${target}.`
const pointer = ({ zone }: Stage) => zone.put('docs', 'CNAME', us)

/** The victim adds and proves the host. */
async function hold(stage: Stage): Promise<void> {
  const { host, victim } = stage
  await victim.add(host)
  pointer(stage)
  expect(await victim.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'pointer' })
}

/** The steps before the attacker's last verification; the attacker has added the host by then. */
const attempts: Record<string, (stage: Stage) => Promise<unknown>> = {
  'a CNAME that was left over from before the host was added': async (stage) => {
    pointer(stage)
    await stage.attacker.add(stage.host)
  },
  'a CNAME that its owner created before adding the host': async (stage) => {
    pointer(stage)
    await stage.attacker.add(stage.host)
    await stage.victim.add(stage.host)
  },
  'an apex whose ALIAS was left over': (stage) => {
    stage.zone.put('@', 'ALIAS', us)
    stage.host = stage.zone.name
    return stage.attacker.add(stage.host)
  },
  'an apex with our address that was left over': (stage) => {
    stage.zone.put('@', 'A', stage.world.lab.topology.server)
    stage.host = stage.zone.name
    return stage.attacker.add(stage.host)
  },
  'a host that another account holds': async (stage) => {
    await hold(stage)
    await stage.attacker.add(stage.host)
  },
  'a held host, in another notation': async (stage) => {
    await hold(stage)
    await stage.attacker.add(` https://${stage.host.toUpperCase()}.:443/path?x#y `)
  },
  'a held host whose record its owner deletes and creates again': async (stage) => {
    await hold(stage)
    stage.zone.clear('docs')
    await stage.attacker.add(stage.host)
    await stage.attacker.verify(stage.host)
    pointer(stage)
  },
  "a held host while the holder's check fails": async (stage) => {
    await hold(stage)
    for (const n of [1, 2, 3, 4]) stage.zone.server(n, { fault: 'refusing' })
    await stage.attacker.add(stage.host)
    await stage.attacker.verify(stage.host)
    for (const n of [1, 2, 3, 4]) stage.zone.server(n, { fault: 'none' })
  },
  'a host that was removed a minute ago, its record left over': async (stage) => {
    await holdAndRemove(stage)
    await stage.attacker.add(stage.host)
  },
  'a host that was removed 89 days ago, its record created again': async (stage) => {
    await holdAndRemove(stage)
    stage.zone.clear('docs')
    await passDays(stage, 89)
    await stage.attacker.add(stage.host)
    pointer(stage)
  },
  'a host that was removed 91 days ago, its record left over': async (stage) => {
    await holdAndRemove(stage)
    await passDays(stage, 91)
    await stage.attacker.add(stage.host)
  },
  'a host whose project was deleted': async (stage) => {
    stage.victim = await stage.world.asOwner(stage.victim.person)
    await hold(stage)
    await stage.victim.deleteProject()
    await stage.attacker.add(stage.host)
  },
  'a host that the operators share': async (stage) => {
    await stage.world.operator.signIn()
    stage.victim = await stage.world.asOwner(stage.world.operator)
    await hold(stage)
    await stage.attacker.add(stage.host)
  },
  'a wildcard of the zone': async (stage) => {
    await stage.attacker.add(stage.host)
    stage.zone.put('*', 'CNAME', us)
  },
  'a chain over an expired domain that the attacker has bought': async (stage) => {
    const lapsed = stage.world.buy()
    stage.zone.put('docs', 'CNAME', `site.${lapsed.name}.`)
    await stage.attacker.add(stage.host)
    lapsed.put('site', 'CNAME', us)
  },
  'a proxy that passes requests': async (stage) => {
    await stage.attacker.add(stage.host)
    stage.zone.put('docs', 'A', stage.world.lab.topology.proxy)
  },
  'a host that the attacker added before its owner did': async (stage) => {
    await stage.attacker.add(stage.host)
    await stage.victim.add(stage.host)
    pointer(stage)
  },
  'a host that its owner has added and does not point here yet': async (stage) => {
    await stage.victim.add(stage.host)
    await stage.attacker.add(stage.host)
    pointer(stage)
  },
  'a left-over record that could not be queried when the host was added': async (stage) => {
    pointer(stage)
    for (const n of [1, 2, 3, 4]) stage.zone.server(n, { fault: 'refusing' })
    await stage.attacker.add(stage.host)
    for (const n of [1, 2, 3, 4]) stage.zone.server(n, { fault: 'none' })
  },
  'a left-over record, removed and added again': async (stage) => {
    pointer(stage)
    for (let i = 0; i < 3; i++) {
      await stage.attacker.add(stage.host)
      await stage.attacker.verify(stage.host)
      await stage.attacker.remove(stage.host)
    }
    await stage.attacker.add(stage.host)
  },
  "the TXT record of its owner's own claim": async (stage) => {
    const { verification } = await stage.victim.add(stage.host)
    stage.zone.put('_animal-store.docs', 'TXT', verification.value)
    pointer(stage)
    await stage.victim.verify(stage.host)
    await stage.attacker.add(stage.host)
  },
  'a TXT record through an alias that another owner controls': async (stage) => {
    pointer(stage)
    const elsewhere = stage.world.buy()
    stage.zone.put('_animal-store.docs', 'CNAME', `verification.${elsewhere.name}.`)
    const { verification } = await stage.attacker.add(stage.host)
    elsewhere.put('verification', 'TXT', verification.value)
  },
  'a claim of months that is verified now and then, until its owner creates the CNAME': async (
    stage,
  ) => {
    await stage.attacker.add(stage.host)
    for (let week = 0; week < 8; week++) {
      stage.world.pass(7 * day)
      await stage.attacker.verify(stage.host)
    }
    pointer(stage)
  },
  'a claim of exactly 48 hours': async (stage) => {
    await stage.attacker.add(stage.host)
    stage.world.pass(48 * hour - 11_000)
    pointer(stage)
  },
  'a claim that is removed and added again every day': async (stage) => {
    for (let n = 0; n < 4; n++) {
      await stage.attacker.add(stage.host)
      stage.world.pass(day)
      await stage.attacker.remove(stage.host)
    }
    await stage.attacker.add(stage.host)
    pointer(stage)
  },
  'a host that two accounts add and remove in turns': async (stage) => {
    await stage.victim.add(stage.host)
    stage.world.pass(47 * hour)
    await stage.victim.remove(stage.host)
    await stage.attacker.add(stage.host)
    pointer(stage)
  },
  'a host that its owner added a year ago and never verified': async (stage) => {
    await stage.victim.add(stage.host)
    await passDays(stage, 365)
    await stage.attacker.add(stage.host)
    pointer(stage)
  },
  'a host that the attacker held, lost and left, with the CNAME of the next owner on day 400':
    async (stage) => {
      await holdAndLose(stage)
      await passDays(stage, 400)
      pointer(stage)
    },
  'a host that the attacker held and lost for 30 days, verified every day': async (stage) => {
    await holdAndLose(stage)
    for (let n = 0; n < 30; n++) {
      stage.world.pass(day)
      await stage.attacker.verify(stage.host)
    }
    pointer(stage)
  },
  'a host that the attacker held and lost, removed and added again for the CNAME of the next owner':
    async (stage) => {
      await holdAndLose(stage)
      await passDays(stage, 31)
      pointer(stage)
      await stage.attacker.remove(stage.host)
      await stage.attacker.add(stage.host)
    },
  'a host that the attacker removed a month ago, with the CNAME of the next owner': async (
    stage,
  ) => {
    await hold({ ...stage, victim: stage.attacker })
    await stage.attacker.remove(stage.host)
    stage.zone.clear('docs')
    await passDays(stage, 31)
    pointer(stage)
    await stage.attacker.add(stage.host)
  },
}

const prepare = ({ attacker, host }: Stage) => attacker.patch(`/${host}`, { prepare: true })

/** Asks for a certificate before DNS is switched: only the TXT record of one's own claim gives one. */
const earlyAttempts: typeof attempts = {
  'a certificate before the switch, for a host that another account holds': async (stage) => {
    await hold(stage)
    await stage.attacker.add(stage.host)
    await prepare(stage)
  },
  'a certificate before the switch, by a CNAME that was left over': async (stage) => {
    pointer(stage)
    await stage.attacker.add(stage.host)
    await prepare(stage)
  },
  "a certificate before the switch, by the TXT record of its owner's preparation": async (
    stage,
  ) => {
    await holdByTxt(stage)
    await stage.attacker.add(stage.host)
    await prepare(stage)
  },
  'a certificate before the switch, by what its owner left when the domain was removed': async (
    stage,
  ) => {
    await holdByTxt(stage)
    stage.zone.put('_acme-challenge.docs', 'TXT', 'left over')
    await stage.victim.remove(stage.host)
    await stage.attacker.add(stage.host)
    await prepare(stage)
  },
  'a certificate before the switch, while its owner switches': async (stage) => {
    await holdByTxt(stage)
    await stage.attacker.add(stage.host)
    await prepare(stage)
    pointer(stage)
    await stage.victim.verify(stage.host)
  },
}

/** The victim holds the host, and removes it. */
async function holdAndRemove(stage: Stage): Promise<void> {
  await hold(stage)
  await stage.victim.remove(stage.host)
}

/** The victim moves a live domain. */
async function holdByTxt({ host, victim, zone }: Stage): Promise<void> {
  const added = await victim.add(host, { prepare: true })
  zone.put('_animal-store.docs', 'TXT', added.verification.value)
  expect(await victim.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'txt' })
}

/** The attacker holds the host until its record is deleted. */
async function holdAndLose(stage: Stage): Promise<void> {
  const { attacker, host, world, zone } = stage
  await hold({ ...stage, victim: attacker })
  zone.clear('docs')
  await attacker.verify(host)
  world.pass(10 * minute)
  expect(await attacker.verify(host)).toMatchObject({ ownership: 'proven', dns: 'lost' })
}

/** A session is shorter than a tombstone: it ends after 30 days without use. */
async function passDays({ attacker, victim, world }: Stage, days: number): Promise<void> {
  world.pass(days * day)
  await attacker.person.signIn()
  await victim.person.signIn()
}

function says(domain: Domain): string {
  const diagnostics = domain.check?.diagnostics ?? []
  return diagnostics.map(({ detail, fix, title }) => `${title} ${detail} ${fix?.text}`).join('\n')
}

describe.each(cases(engines))('take-overs on %s', (engine) => {
  const world = shared(() => startDomains(engine))
  const victims = shared(() => world.owner())
  const attackers = shared(() => world.owner())
  // The hosts of earlier tests would be checked again whenever time passes.
  afterEach(async () => {
    for (const owner of [victims, attackers]) {
      await owner.person.signIn()
      const { items } = (await owner.ask('')).json as { items: Domain[] }
      for (const { host } of items) await owner.remove(host)
    }
  })

  it.each(cases(Object.entries({ ...attempts, ...earlyAttempts }), (_, i) => i % 4 === 0))(
    '%s',
    async (_, attempt) => {
      await victims.person.signIn()
      await attackers.person.signIn()
      const bought = world.buy()
      const stage: Stage = {
        world,
        victim: victims,
        attacker: attackers,
        zone: bought,
        host: `docs.${bought.name}`,
      }
      await attempt(stage)

      const { attacker, host, zone } = stage
      const refused = await attacker.verify(host)
      expect(refused.ownership).not.toBe('proven')
      expect(refused.certificate.state).toBe('none')
      expect(refused.records.filter(({ purpose }) => purpose === 'challenge')).toEqual([])
      expect(refused.verification.isRequired).toBe(true)
      expect(refused.verification.reason).toMatch(/\w+\. \w/)
      expect(says(refused)).toContain('_animal-store')
      expect(says(refused)).toContain(refused.verification.value)

      const label = host === zone.name ? '_animal-store' : '_animal-store.docs'
      zone.clear(label).put(label, 'TXT', refused.verification.value)
      const given = await attacker.verify(host)
      expect(given).toMatchObject({
        ownership: 'proven',
        provenBy: 'txt',
        verification: { isRequired: false },
      })
    },
  )

  it('shows until when a CNAME is enough, and why it no longer is', async () => {
    await victims.person.signIn()
    const host = `docs.${world.buy().name}`
    const { addedAt, verification } = await victims.add(host)
    const requiredFrom = new Date(Date.parse(addedAt) + 48 * hour).toISOString()
    expect(verification).toMatchObject({ isRequired: false, reason: null, requiredFrom })
    world.pass(48 * hour)
    await victims.person.signIn()
    expect(await victims.get(host)).toMatchObject({
      verification: {
        isRequired: true,
        reason: expect.stringContaining(`${host} was added more than 48 hours ago. `),
        requiredFrom: null,
      },
    })
  })

  it('leaves a host that points elsewhere for 29 days to its owner', async () => {
    await victims.person.signIn()
    const zone = world.buy()
    const stage = { world, victim: attackers, attacker: victims, zone, host: `docs.${zone.name}` }
    await holdAndLose(stage)
    world.pass(29 * day)
    await victims.person.signIn()
    pointer(stage)
    expect(await victims.verify(stage.host)).toMatchObject({ ownership: 'proven', dns: 'ok' })
  })
})

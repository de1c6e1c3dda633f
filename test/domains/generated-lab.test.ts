// Generated worlds on the name servers of the lab: the whole check, by real packets, finds what the records say, and a fix
// that is carried out there makes the next check better.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { caaSetIn } from '#dns/caa/find-caa.ts'
import { noIpv6 } from '#doctor/evidence.ts'
import * as given from '#doctor/evidence-in-test.ts'
import { findBlocker, judge } from '#doctor/rules/judge.ts'
import { type Fault, faults as labFaults } from '../../lab/dns/name-server.ts'
import { zoneHead } from '../../lab/dns/start-dns.ts'
import { createZone, type ZoneRecord } from '../../lab/dns/zone.ts'
import { otherPlatformHost, platformHost } from '../../lab/network/topology.ts'
import { listen } from '../../lab/web/web-servers.ts'
import { isLong, runs } from '../cases.ts'
import { addRecords, doctorInLab } from './doctor-in-lab.ts'
import {
  applyFix,
  cloudflare,
  evidenceIn,
  foreign,
  foreignIpv6,
  generatedWorld,
  oldPlatform,
  relay,
  type World,
} from './generated-world.ts'

const doctor = doctorInLab()
let front: { close(): Promise<void> }

beforeAll(async () => {
  const { dns, domains, topology } = doctor.lab
  const ipv6 = { ttlSeconds: 60, type: 'AAAA' } as const
  dns.setPlatformRecords([{ ...ipv6, name: platformHost, address: given.ourIpv6 }])
  const added = { ...ipv6, name: otherPlatformHost, address: foreignIpv6 }
  for (const server of ['ns1.dovecote.test', 'ns2.dovecote.test'])
    addRecords(doctor.lab, server, 'dovecote.test', [added])
  domains.buy('gulls.example', 'pigeon')
  const put = (name: string, type: 'A' | 'CNAME', value: string) =>
    domains.addRecord('gulls.example', { name, type, value, ttlSeconds: 300 })
  put('parking', 'A', topology.otherPlatform)
  put('way', 'CNAME', `${platformHost}.`)
  put('private', 'A', '10.1.2.3')
  front = await listen(topology.secondNode, topology.ports.http, (_, response) => {
    response.writeHead(403, { server: 'cloudflare' }).end()
  })
})
afterAll(() => front.close())

/** What the lab has, in place of the names and addresses of a world. */
function namesInLab(zone: string): [string, string][] {
  const { topology } = doctor.lab
  return [
    ['gannet.example', zone],
    [given.target, platformHost],
    ['docs.animal.example', 'docs.animal-shop.test'],
    [oldPlatform, otherPlatformHost],
    ['authority.example', 'authority.test'],
    [given.ourAddress, topology.server],
    [foreign, topology.otherPlatform],
    [relay, topology.proxy],
    [cloudflare, topology.secondNode],
  ]
}

/** As the lab answers at those addresses. */
const sites: World['sites'] = {
  [foreign]: { kind: 'other', status: 404, server: 'Dovecote', platform: 'Dovecote' },
  [foreignIpv6]: { kind: 'not asked', reason: noIpv6 },
  [relay]: { kind: 'platform' },
  [cloudflare]: { kind: 'other', status: 403, server: 'cloudflare', platform: undefined },
}

/** Late name servers are asked in no certain order; a silent one costs seconds. */
const worldInLab = generatedWorld.map((world): World => {
  const servers = world.servers.map(({ fault }) => ({
    fault: fault === 'silent' ? ('refusing' as const) : fault,
    isLate: false,
  }))
  return {
    ...world,
    servers,
    sites,
    dnssec: 'unsigned',
    resolver: 'current',
    cut: 'nowhere',
    platformCaa: 'none',
  }
})

let worlds = 0

/** How the servers behave, and to which names the domain is delegated besides. */
interface Breakage {
  faults: Fault[]
  delegated: string[]
  /** The parent has a DS record of a zone that is not signed. */
  hasBrokenDs: boolean
}

/** Checks it in the lab, in a domain of its own. */
async function check(
  world: World,
  { delegated = [], faults = [], hasBrokenDs = false }: Partial<Breakage> = {},
) {
  const zone = `world${++worlds}.example`
  const text = namesInLab(zone).reduce(
    (json, [from, to]) => json.replaceAll(from, to),
    JSON.stringify({ apex: world.apex, host: world.host, records: world.records }),
  )
  const { apex, host, records } = JSON.parse(text) as Pick<World, 'apex' | 'host' | 'records'>
  const { dns } = doctor.lab
  const servers = world.servers.map((_, i) => `ns${i + 1}.burrow.test`)
  const cut = servers.map(
    (target): ZoneRecord => ({ name: apex, ttlSeconds: 300, type: 'NS', target }),
  )
  const zones = [createZone(apex, [...zoneHead(apex, 1, servers), ...records])]
  if (apex !== zone) zones.push(createZone(zone, [...zoneHead(zone, 1, servers), ...cut]))
  for (const [i, { fault }] of world.servers.entries()) {
    for (const each of zones)
      dns.servers
        .get(servers[i] ?? '')
        ?.zones.set(each.name, { read: () => each, fault: faults[i] ?? fault })
  }
  dns.delegations.set(zone, {
    zone,
    servers: delegated.length > 0 ? delegated : servers,
    hasBrokenDs,
  })
  dns.resolver.clear()
  const { claim, platform } = given.evidence({ host }).evidence
  return await doctor.check(host, {
    claim: { ...claim, ...world.claim },
    platform: { verification: platform.verification },
    network: { hasIpv6: false },
  })
}

it('finds what the records say, and is better after a fix', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(worldInLab, async (world) => {
    const seen = await check(world)
    const expected = judge(await evidenceIn(world))
    const codes = expected.diagnostics.map(({ code }) => code)
    // What the limit of queries left out is not said.
    if (seen.evidence.isCutShort) return
    expect([seen.judged.result, ...seen.codes]).toEqual([expected.result, ...codes])
    const fix = expected.diagnostics.find(({ severity }) => severity === 'blocks')?.fix
    if (!fix || fix.add.length + fix.remove.length === 0) return
    const states = ['unknown', 'missing', 'wrong', 'partial', 'right']
    const after = await check(applyFix(world, fix))
    expect(states.indexOf(after.judged.reading.state)).toBeGreaterThanOrEqual(
      states.indexOf(seen.judged.reading.state),
    )
  })
  await fc.assert(property, { numRuns: runs(250) })
})

/** Silent servers cost seconds. */
const fault = fc.constantFrom(
  ...labFaults.filter((each) => isLong || !/silent|slow|udp|drops/.test(each)),
)
const breakage: fc.Arbitrary<Breakage> = fc.record({
  faults: fc.array(fault, { minLength: 3, maxLength: 3 }),
  delegated: fc.constantFrom<string[][]>(
    [],
    [],
    ['gone.gulls.example'],
    ['private.gulls.example'],
    ['ns1.burrow.test', 'gone.gulls.example'],
    ['ns1.burrow.test', 'private.gulls.example'],
    ['ns1.burrow.test', 'coo.pigeon.test'],
  ),
  hasBrokenDs: fc.constantFrom(false, false, true),
})

it('says who has to act when servers are broken, and places no order', {
  timeout: 300_000,
}, async () => {
  const property = fc.asyncProperty(worldInLab, breakage, async (world, broken) => {
    const { evidence, judged } = await check(world, broken)
    const { diagnostics, reading, result } = judged
    if (result === 'unknown') {
      expect(diagnostics.map(({ detail, fix }) => `${detail} ${fix?.text}`).join()).toMatch(
        /DNS provider|registrar|[Oo]perator|we will check again|You don't need to do anything/,
      )
    }
    if (reading.answers.length === 0)
      expect(diagnostics.flatMap(({ fix }) => fix?.remove ?? [])).toEqual([])
    if (findBlocker(judged) !== undefined) return
    expect(reading.state).toBe('right')
    expect(reading.answers).not.toEqual([])
    expect(broken.hasBrokenDs).toBe(false)
    expect(evidence.zone.dnssec).not.toBe('not asked')
    expect(caaSetIn(evidence.caa)).not.toBe('unknown')
  })
  await fc.assert(property, { numRuns: runs(40) })
})

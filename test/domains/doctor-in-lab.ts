// The doctor in a lab: real packets, real HTTP, and a server of ours that answers probes, all in this process with a
// stopped clock. Every check is judged twice: as gathered, and as read back from JSON.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Evidence } from '#doctor/evidence.ts'
import { diagnosisToJson, formatDiagnosis } from '#doctor/rules/format-diagnosis.ts'
import { judge } from '#doctor/rules/judge.ts'
import type { Check } from '#domains/evidence/gather-evidence.ts'
import { createZone, type ZoneRecord } from '../../lab/dns/zone.ts'
import type { Lab } from '../../lab/lab.ts'
import { type ProviderId, platformHost } from '../../lab/network/topology.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { listen } from '../../lab/web/web-servers.ts'
import { type BoughtZone, buyZone } from '../lab/buy-zone.ts'
import { startLabForTest } from '../lab/started-lab.ts'
import { answerProbes, checkHost, type Given } from './check-host.ts'

export const target = platformHost
export const noon = Date.UTC(2026, 10, 21, 12, 0, 0)
export const token = 'as-proof-Zm9vYmFy'

const authorities = [{ domain: 'authority.test', methods: ['http-01', 'tls-alpn-01'] }]

export interface DoctorInLab {
  lab: Lab
  clock: { now: number }
  /** A domain that no other test of this lab has, with the provider's name servers. */
  buy(provider?: ProviderId): BoughtZone
  check(host: string, given?: Given): Promise<Seen>
}

export interface Seen extends Check {
  codes: string[]
  /**
   * The result, the codes, the title of the first finding, and the records that fixes delete, with the lab's addresses as in
   * 127.0.53 and ZONE for the domain. The other words are those of server/doctor/rules/rules.expected.txt.
   */
  summary: string
  /** As on a terminal without colours, with the lab's addresses as in 127.0.53. */
  text: string
  json: ReturnType<typeof diagnosisToJson>
}

/** For a test file. With `hasServer: false` the tests start a server at our address. */
export function doctorInLab({ hasServer = true }: { hasServer?: boolean } = {}): DoctorInLab {
  const clock = { now: noon }
  const doctor = { clock } as DoctorInLab
  let server: { close(): Promise<void> } | undefined
  beforeAll(async () => {
    // The resolver's answers must be deterministic.
    const lab = await startLabForTest({ now: () => clock.now, shuffle: (list) => list })
    doctor.lab = lab
    const { ports, server: address } = lab.topology
    if (hasServer) server = await listen(address, ports.http, answerProbes(environmentIn(lab)))
  })
  beforeEach(() => {
    clock.now = noon
    doctor.lab.dns.resolver.clear()
  })
  afterAll(async () => {
    await server?.close()
    await doctor.lab.stop()
  })
  let bought = 0
  doctor.buy = (provider) => buyZone(doctor.lab, `mossy${++bought}.example`, provider)
  doctor.check = (host, given) => check(doctor, host, given)
  return doctor
}

async function check({ clock, lab }: DoctorInLab, host: string, given: Given = {}): Promise<Seen> {
  const platform = { authorities, ...given.platform }
  const found = await checkHost(environmentIn(lab), host, { ...given, platform }, () => clock.now)
  const { evidence, judged } = found
  const readBack = JSON.parse(JSON.stringify(evidence)) as Evidence
  expect(judge(readBack)).toEqual(judged)
  // Every lab has its own network; the text shown here is the same for all.
  const network = lab.topology.root.replace(/1$/, '')
  const shown = JSON.parse(JSON.stringify(evidence).replaceAll(network, '127.0.53.')) as Evidence
  const text = formatDiagnosis(judge(shown), { hasColour: false, formatTime: timeOfDay })
  const { diagnostics, result } = judge(shown)
  const codes = diagnostics.map(({ code }) => code)
  const title = diagnostics[0] ? `: ${diagnostics[0].title}` : ''
  const removed = diagnostics.flatMap(({ fix }) => fix?.remove ?? [])
  const deletes = removed.map(({ type, value }) => `; delete ${type} ${value}`)
  const summary = [result, ...codes].join(' ') + title + deletes.join('')
  const json = diagnosisToJson(judged)
  return {
    ...found,
    codes,
    summary: summary.replaceAll(evidence.subject.registrableDomain, 'ZONE'),
    text,
    json,
  }
}

/** Adds records to a zone of the lab at one server; what it returns takes them away. */
export function addRecords(
  { dns }: Lab,
  server: string,
  zone: string,
  records: ZoneRecord[],
): () => void {
  const { zones } = dns.servers.get(server) ?? {}
  const before = zones?.get(zone)
  const read = () => createZone(zone, [...(before?.read().records ?? []), ...records])
  zones?.set(zone, { read, fault: 'none' })
  return () => void (before && zones?.set(zone, before))
}

const timeOfDay = (at: number) => new Date(at).toISOString().slice(11, 16)

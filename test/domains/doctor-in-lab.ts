// The doctor in a lab: real packets, real HTTP, and a server of ours that answers probes, all in this process with a
// stopped clock. Every check is judged twice: as gathered, and as read back from JSON.
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { ClaimFacts, Evidence } from '#doctor/evidence.ts'
import { readHostname } from '#doctor/hostname.ts'
import type { Plan } from '#doctor/plan-records.ts'
import { diagnosisToJson, formatDiagnosis } from '#doctor/rules/format-diagnosis.ts'
import { judge } from '#doctor/rules/judge.ts'
import { answerProbe } from '#domains/evidence/fetch-at-address.ts'
import {
  type Check,
  checkDomain,
  domainNetwork,
  type Gathering,
  type GatheringContext,
  unclaimed,
} from '#domains/evidence/gather-evidence.ts'
import { readConfig } from '#kit/config/config.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { portByAddress } from '#kit/network/addresses.ts'
import { openSecrets, type Secrets } from '#kit/secrets.ts'
import type { Lab } from '../../lab/lab.ts'
import { type ProviderId, platformHost } from '../../lab/network/topology.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { listen } from '../../lab/web/web-servers.ts'
import { type BoughtZone, buyZone } from '../lab/buy-zone.ts'
import { startLabForTest } from '../lab/started-lab.ts'

export const target = platformHost
export const noon = Date.UTC(2026, 10, 21, 12, 0, 0)
export const token = 'as-proof-Zm9vYmFy'

const authorities = [{ domain: 'authority.test', methods: ['http-01', 'tls-alpn-01'] }]

export interface DoctorInLab {
  lab: Lab
  clock: { now: number }
  secrets: Secrets
  /** A domain that no other test of this lab has, with the provider's name servers. */
  buy(provider?: ProviderId): BoughtZone
  check(host: string, given?: Given): Promise<Seen>
}

export interface Given {
  claim?: Partial<ClaimFacts>
  platform?: Partial<Gathering['platform']>
  plan?: Plan
  /** Of the machine that checks. */
  hasIpv6?: boolean
  /** Added to the lab's configuration. */
  env?: Record<string, string>
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
    const secrets = openSecrets({ dataDir: join(lab.folder, 'data'), secretKeys: [] })
    Object.assign(doctor, { lab, secrets })
    if (hasServer)
      server = await listen(lab.topology.server, lab.topology.ports.http, answerProbes(secrets))
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

/** Our server's responses to probes, for every host. */
function answerProbes(secrets: Secrets): Parameters<typeof listen>[2] {
  const probes = answerProbe(secrets)
  return (asked, response) => {
    const more = { head: { requestId: 'in-the-lab' }, extraHeaders: [] }
    probes(Object.assign(asked, more) as unknown as ApiRequest, response)
  }
}

async function check(
  { clock, lab, secrets }: DoctorInLab,
  host: string,
  { claim, env, hasIpv6, platform, plan }: Given = {},
): Promise<Seen> {
  const { topology } = lab
  const config = readConfig({ ...environmentIn(lab), ...env })
  const context: GatheringContext = {
    network: {
      ...domainNetwork(config, () => clock.now),
      ...(hasIpv6 === undefined ? {} : { hasIpv6 }),
    },
    clock: () => clock.now,
    secrets,
    probePorts: portByAddress(config.probeAllow, 80),
  }
  const subject = readHostname(host, { hosts: [], platformHost: '' }).ok
  if (!subject) throw new Error(`${host} is not a host name`)
  const asked = unclaimed(config, subject)
  const gathering: Gathering = {
    subject,
    platform: { ...asked.platform, authorities, ...platform },
    claim: { ...asked.claim, ...claim },
  }
  const found = await checkDomain(context, gathering, plan)
  const { evidence, judged } = found
  const readBack = JSON.parse(JSON.stringify(evidence)) as Evidence
  expect(judge(readBack)).toEqual(judged)
  // Every lab has its own network; the text shown here is the same for all.
  const network = topology.root.replace(/1$/, '')
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
    summary: summary.replaceAll(subject.registrableDomain, 'ZONE'),
    text,
    json,
  }
}

const timeOfDay = (at: number) => new Date(at).toISOString().slice(11, 16)

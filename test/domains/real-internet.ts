// A small internet of real name servers with a platform of ours: zones in every state that the doctor distinguishes,
// on NSD, Knot and PowerDNS, with a validating Unbound.
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from '../../lab/web/web-servers.ts'
import {
  requireRealServers,
  startKnot,
  startNsd,
  startPowerDns,
  startUnbound,
  type Zone,
} from '../dns/real-servers.ts'
import { freePort } from '../lab/free-addresses.ts'
import { answerProbes } from './check-host.ts'

export const target = 'edge.platform.test'
/** Another host of the platform, whose CAA record forbids all authorities. */
export const strictTarget = 'strict.platform.test'
export const token = 'as-proof-Zm9vYmFy'

export interface RealInternet {
  /** The configuration for checks here. */
  env: Record<string, string>
  /** Our own server's address. */
  address: string
  addressOf(server: 'first' | 'second' | 'third' | 'last' | 'powerDns'): string
  /** Stops the fourth NSD, which has part.test. */
  stopLast(): Promise<void>
  /** Puts the correct DS record of broken.test into its parent's zone, and empties the resolver's caches. */
  mendSignatures(): Promise<void>
  stop(): Promise<void>
}

const soa = '@ SOA ns hostmaster 7 3600 600 86400 300'

export async function startRealInternet(): Promise<RealInternet> {
  requireRealServers()
  const folder = await mkdtemp(join(tmpdir(), 'real-internet-'))
  const network = `127.${randomInt(60, 250)}.${randomInt(1, 250)}`
  const at = (last: number) => `${network}.${last}`
  const hosts = { first: at(3), second: at(4), third: at(5), last: at(6), powerDns: at(8) }
  const [root, registry, signing, resolver, ours] = [at(1), at(2), at(7), at(9), at(10)]
  const running = new Set<{ stop(): Promise<void> }>()
  const start = async <Server extends { stop(): Promise<void> }>(starting: Promise<Server>) => {
    const server = await starting
    running.add(server)
    return server
  }
  const end = async (server: { stop(): Promise<void> }) => {
    running.delete(server)
    await server.stop()
  }
  const stop = async () => {
    await Promise.all([...running].map(end))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const signer = await start(startKnot(folder, signing, signedZones(signing)))
    const zones = zonesOf(ours)
    const [, , , last] = await Promise.all([
      start(startNsd(folder, hosts.first, [hoster(hosts), ...zones])),
      start(startNsd(folder, hosts.second, [hoster(hosts), ...zones])),
      start(startNsd(folder, hosts.third, [hoster(hosts), behind('')])),
      start(startNsd(folder, hosts.last, [hoster(hosts), ...zones])),
    ])
    const tldZone = (ds: string): Zone => ({
      apex: 'test',
      isSigned: true,
      records: delegations(registry, signing, hosts, signer.dsOf('signed.test'), ds),
    })
    const wrongDs = `broken 60 DS 4711 13 2 ${'0'.repeat(63)}1`
    let tld = await start(startKnot(folder, registry, [tldZone(wrongDs)]))
    const rootZone = {
      apex: '',
      isSigned: true,
      records: `${soa}\n@ NS ns.root.\nns.root. A ${root}\ntest NS ns.test.\nns.test. A ${registry}\n${tld.dsOf('test')}`,
    }
    const top = await start(startKnot(folder, root, [rootZone]))
    const anchor = { address: root, dnskey: top.dnskeyOf('') }
    let validating = await start(startUnbound(folder, resolver, anchor))
    await start(startPowerDns(folder, hosts.powerDns, apexZones(hosts.powerDns), resolver))

    const port = await freePort()
    const env = {
      DATA_DIR: folder,
      PLATFORM_HOST: target,
      PLATFORM_ADDRESSES: ours,
      DNS_ROOTS: root,
      DNS_SERVERS: resolver,
      CHECK_ALLOW: `dns:${network}.0/24,http:${network}.0/24:${port}`,
    }
    const server = await listen(ours, port, answerProbes(env))
    running.add({ stop: () => server.close() })
    return {
      env,
      address: ours,
      addressOf: (name) => hosts[name],
      stopLast: () => end(last),
      mendSignatures: async () => {
        await Promise.all([end(tld), end(validating)])
        tld = await start(startKnot(folder, registry, [tldZone(signer.dsOf('broken.test'))]))
        validating = await start(startUnbound(folder, resolver, anchor))
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type Hosts = Record<'first' | 'second' | 'third' | 'last' | 'powerDns', string>

function delegations(registry: string, signing: string, hosts: Hosts, ...ds: string[]): string {
  return `${soa}
@ NS ns
ns A ${registry}
${Object.entries(hosts)
  .map(([name, address]) => `hoster NS ${name}.hoster\n${name}.hoster A ${address}`)
  .join('\n')}
platform NS first.hoster
garden NS first.hoster
garden NS second.hoster
caa NS first.hoster
behind NS first.hoster
behind NS second.hoster
behind NS third.hoster
lame NS first.hoster
lame NS third.hoster
part NS first.hoster
part NS last.hoster
apex NS powerdns.hoster
bare NS powerdns.hoster
powerdns.hoster A ${hosts.powerDns}
signed NS ns.signed
ns.signed A ${signing}
broken NS ns.broken
ns.broken A ${signing}
${ds.join('\n')}`
}

function hoster(hosts: Hosts): Zone {
  const lines = Object.entries(hosts).map(([name, address]) => `@ NS ${name}\n${name} A ${address}`)
  return { apex: 'hoster.test', records: `${soa}\n${lines.join('\n')}` }
}

/** The zones of first, second and last. */
function zonesOf(ours: string): Zone[] {
  const zone = (name: string, servers: string[], records: string): Zone => ({
    apex: `${name}.test`,
    records: [soa, ...servers.map((server) => `@ NS ${server}.hoster.test.`), records].join('\n'),
  })
  return [
    zone('platform', ['first'], `edge A ${ours}\nstrict A ${ours}\nstrict CAA 0 issue ";"`),
    zone('garden', ['first', 'second'], gardenRecords),
    zone(
      'caa',
      ['first'],
      `@ CAA 0 issue "other.example"
docs CNAME ${target}.
below.open CNAME ${target}.
open CAA 0 issue "letsencrypt.org"
below.shut CNAME ${target}.
shut CAA 0 issue ";"`,
    ),
    behind(`docs CNAME ${target}.`),
    zone('lame', ['first', 'third'], `docs CNAME ${target}.`),
    zone('part', ['first', 'last'], `docs CNAME ${target}.`),
  ]
}

function behind(records: string): Zone {
  const servers = ['first', 'second', 'third'].map((name) => `@ NS ${name}.hoster.test.`)
  return { apex: 'behind.test', records: [soa, ...servers, records].join('\n') }
}

const gardenRecords = `docs 600 CNAME ${target}.
old A 192.0.2.7
near CNAME edge.platfrom.test.
appended CNAME ${target}
doubled.garden.test CNAME ${target}.
way CNAME hop
hop CNAME ${target}.
round CNAME about
about CNAME round
strict CNAME ${strictTarget}.
*.wild CNAME ${target}.
_animal-store.docs TXT "${token}"
_animal-store.way TXT "${token}x"`

function signedZones(signing: string): Zone[] {
  return ['signed.test', 'broken.test'].map((apex) => ({
    apex,
    isSigned: true,
    records: `${soa}\n@ NS ns\nns A ${signing}\ndocs 600 CNAME ${target}.`,
  }))
}

/** Only PowerDNS supports ALIAS, and it accepts a CNAME at the apex. */
function apexZones(powerDns: string): Zone[] {
  const head = `${soa}\n@ NS powerdns.hoster.test.\nns A ${powerDns}`
  return [
    { apex: 'apex.test', records: `${head}\n@ 300 ALIAS ${target}.\n@ MX 10 mail` },
    { apex: 'bare.test', records: `${head}\n@ CNAME ${target}.` },
  ]
}

// A small internet of real name servers on loopback addresses: a signed root and top-level domain, zones that are
// signed, badly signed, unsigned, lame, cut below their apex, and one with ALIAS at the apex.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type RealServer,
  requireRealServers,
  startKnot,
  startNsd,
  startPowerDns,
  startUnbound,
} from './real-servers.ts'

export interface RealTree {
  root: string
  registry: string
  /** Serves signed.test and broken.test. */
  knot: string
  /** Serve plain.test and the zones delegated from it. */
  nsd: string
  secondNsd: string
  powerDns: string
  resolver: string
  stop(): Promise<void>
}

const soa = (primary: string) => `@ SOA ${primary} hostmaster 7 3600 600 86400 300`

/** Addresses depend on the process id, so that two runs do not collide. */
export async function startRealTree(): Promise<RealTree> {
  requireRealServers()
  const folder = await mkdtemp(join(tmpdir(), 'dns-tree-'))
  const at = (last: number) => `127.${20 + (process.pid % 200)}.${(process.pid >> 8) % 250}.${last}`
  const [root, registry, knot, nsd, secondNsd, powerDns, resolver] = [1, 2, 3, 4, 5, 6, 7].map(
    at,
  ) as [string, string, string, string, string, string, string]
  const running: RealServer[] = []
  const start = async <Server extends RealServer>(server: Promise<Server>): Promise<Server> => {
    const started = await server
    running.push(started)
    return started
  }
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const signer = await start(startKnot(folder, knot, signedZones(knot)))
    const plain = plainZones({ nsd, secondNsd, powerDns })
    await start(startNsd(folder, nsd, plain))
    await start(startNsd(folder, secondNsd, plain.slice(0, 1)))
    const registryZone = {
      apex: 'test',
      isSigned: true,
      records: `${soa('ns')}
@ NS ns
ns A ${registry}
signed NS ns.signed
ns.signed A ${knot}
${signer.dsOf('signed.test')}
broken NS ns.broken
ns.broken A ${knot}
broken DS 4711 13 2 ${'0'.repeat(63)}1
plain NS a.ns.plain
plain NS b.ns.plain
a.ns.plain A ${nsd}
b.ns.plain A ${secondNsd}
glueless NS a.ns.plain.test.
lame NS a.ns.plain.test.
lame NS ns.apex
apex NS ns.apex
ns.apex A ${powerDns}
circle-a NS ns.circle-b
circle-b NS ns.circle-a
gone NS ns.nowhere.plain.test.`,
    }
    const tld = await start(startKnot(folder, registry, [registryZone]))
    const rootZone = {
      apex: '',
      isSigned: true,
      records: `${soa('ns.root.')}
@ NS ns.root.
ns.root. A ${root}
test NS ns.test.
ns.test. A ${registry}
${tld.dsOf('test')}`,
    }
    const top = await start(startKnot(folder, root, [rootZone]))
    await start(startUnbound(folder, resolver, { address: root, dnskey: top.dnskeyOf('') }))
    await start(startPowerDns(folder, powerDns, [apexZone(powerDns)], resolver))
  } catch (error) {
    await stop()
    throw error
  }
  return { root, registry, knot, nsd, secondNsd, powerDns, resolver, stop }
}

function signedZones(knot: string) {
  return ['signed.test', 'broken.test'].map((apex) => ({
    apex,
    isSigned: true,
    records: `${soa('ns')}
@ NS ns
ns A ${knot}
docs 600 CNAME edge.plain.test.
www A 192.0.2.9`,
  }))
}

function plainZones({
  nsd,
  secondNsd,
  powerDns,
}: Record<'nsd' | 'secondNsd' | 'powerDns', string>) {
  const plain = {
    apex: 'plain.test',
    records: `${soa('a.ns')}
@ NS a.ns
@ NS b.ns
@ MX 10 mail
@ CAA 0 issue "ca.example; accounturi=https://ca.example/acct/1"
a.ns A ${nsd}
b.ns A ${secondNsd}
edge 300 A 192.0.2.1
edge 300 AAAA 2001:db8::1
docs 600 CNAME edge
alias CNAME docs
loop-a CNAME loop-b
loop-b CNAME loop-a
deep.below A 192.0.2.5
text TXT "one" "two \\"three\\"" "caf\\195\\169"
odd\\.label A 192.0.2.6
*.wild A 192.0.2.8
open CAA 0 issue ";"
cut NS a.ns
far NS ns.far
ns.far A ${powerDns}`,
  }
  const cut = {
    apex: 'cut.plain.test',
    records: `${soa('a.ns.plain.test.')}\n@ NS a.ns.plain.test.\nwww A 192.0.2.3`,
  }
  const glueless = {
    apex: 'glueless.test',
    records: `${soa('a.ns.plain.test.')}\n@ NS a.ns.plain.test.\nwww A 192.0.2.4`,
  }
  const lame = {
    apex: 'lame.test',
    records: `${soa('a.ns.plain.test.')}\n@ NS a.ns.plain.test.\n@ NS ns.apex.test.\nwww A 192.0.2.5`,
  }
  return [plain, cut, glueless, lame]
}

function apexZone(powerDns: string) {
  return {
    apex: 'apex.test',
    records: `${soa('ns')}
@ NS ns
@ 300 ALIAS edge.plain.test.
@ MX 10 mail
ns A ${powerDns}
www CNAME @`,
  }
}

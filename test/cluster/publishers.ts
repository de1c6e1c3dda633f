// Owners of sites under faults: each deploys to a project of its own again and again, adds domains, and visits its hosts
// over HTTPS.
import { X509Certificate } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Domains } from '#domains/api/schema.ts'
import type { System } from '#kit/system/schema.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { ask as askSite, openTls } from '../edge/clients.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { createRandom } from '../random.ts'
import { repeatUntilFinished } from '../repeat-until-finished.ts'
import type { Answer, AskOptions } from '../running-store.ts'
import { deployKey } from './check-publishing.ts'
import { answerWithinMs, learn } from './clients.ts'
import type { Deployment, FinalHost, History } from './history.ts'
import type { Operator } from './operator.ts'
import { certificateValidityMs } from './platform.ts'
import type { Cluster } from './start-cluster.ts'

const publishers = 2
const hostsOfEach = 10
const siteFiles = 60
const visitsPerTurn = 4
const pauseMs = 1000
/** An owner verifies a domain again that is not active for so long. */
const verifyAfterMs = 60_000
const settlesWithinMs = 180_000
/** Handshakes that no fault explains. */
const wrongCertificates = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']

export interface Publishers {
  /** Ends them after their current turn. */
  finish(): Promise<void>
  /** Waits until every domain is active, and adds the final state to the history. The cluster must serve. */
  recordFinalState(): Promise<void>
  /** How often an owner had to verify a domain again. */
  verified(): number
}

type Publisher = Awaited<ReturnType<typeof createPublisher>>

/** Creates the projects before it returns. */
export async function startPublishers(
  cluster: Cluster,
  operator: Operator,
  history: History,
  seed: number,
): Promise<Publishers> {
  const { publishing } = history
  Object.assign(publishing, { siteFiles, certificateLastsMs: 0.4 * certificateValidityMs })
  const all: Publisher[] = []
  for (let n = 1; n <= publishers; n++)
    all.push(await createPublisher(cluster, operator, history, `site${n}`, seed * 17 + n))
  const { finish } = repeatUntilFinished(
    all.map((publisher) => async () => {
      await publisher.takeTurn()
      await delay(pauseMs)
    }),
  )
  return {
    finish,
    async recordFinalState() {
      publishing.finalHosts = (await Promise.all(all.map((each) => each.settle()))).flat()
      publishing.certificates = issuedBy(cluster)
    },
    verified: () => all.reduce((sum, { verified }) => sum + verified(), 0),
  }
}

async function createPublisher(
  cluster: Cluster,
  { manage }: Operator,
  history: History,
  slug: string,
  seed: number,
) {
  const { httpsPort, platform } = cluster
  const { publishing } = history
  const random = createRandom(seed)
  const project = `/projects/${slug}`
  const created = await manage('/projects', { body: { slug, name: slug } })
  if (created.status !== 201) throw new Error(`no project: ${created.status} ${created.text}`)
  const zone = `${slug}.example`
  const { point } = platform.buyZone(zone)
  /** Labels of the hosts that are not yet added. */
  const labels = Array.from({ length: hostsOfEach }, (_, n) => `docs${n + 1}`)
  /** When each was added or verified last. */
  const added = new Map<string, number>()
  const active = new Set<string>()
  let versions = 0
  let verified = 0

  const request = (path: string, options: AskOptions = {}) =>
    learn(history, path, manage(path, { timeoutMs: answerWithinMs, ...options }))

  async function deploy(): Promise<Deployment> {
    const version = ++versions
    const pages = Array.from({ length: siteFiles }, (_, i) => [
      `${i || 'index'}.html`,
      `<h1>version ${version}</h1><p>page ${i}</p>`,
    ])
    const { response, outcome } = await request(`${project}/archives`, {
      method: 'POST',
      headers: { 'content-type': 'application/gzip' },
      body: archiveOf(Object.fromEntries(pages)),
    })
    const deployment: Deployment = { project: slug, version, outcome }
    publishing.deployments.push(deployment)
    if (outcome === 'acknowledged') {
      const { number } = (response as Answer).json as Deploy
      deployment.number = number
      await followBuild(deployment, number)
    }
    return deployment
  }

  async function followBuild(deployment: Deployment, number: number): Promise<void> {
    const until = performance.now() + settlesWithinMs
    while (performance.now() < until) {
      const { response, outcome } = await request(`${project}/deploys/${number}?wait=4`)
      const { state } = ((outcome === 'acknowledged' && response?.json) || {}) as Partial<Deploy>
      if (state !== undefined && state !== 'uploaded' && state !== 'building') {
        deployment.built = { ...builtOf(response?.json as Deploy), at: performance.now() }
        return
      }
      await delay(200)
    }
  }

  /** Adds the next domain with its record, and looks at all of them. */
  async function attendDomains(): Promise<void> {
    const [label] = labels
    if (label !== undefined) {
      const host = `${label}.${zone}`
      const { outcome } = await request(`${project}/domains`, { body: { host } })
      // It is there already if the outcome of the attempt before was unknown.
      if (outcome === 'acknowledged' || outcome === 'rejected') {
        labels.shift()
        point(label)
        await verify(host)
      }
    }
    const { response, outcome } = await request(`${project}/domains`)
    if (outcome !== 'acknowledged') return
    for (const domain of ((response as Answer).json as Domains).items) {
      if (domain.badge === 'active') active.add(domain.host)
      else if (performance.now() - (added.get(domain.host) ?? 0) > verifyAfterMs) {
        verified++
        await verify(domain.host)
      }
    }
  }

  async function verify(host: string): Promise<void> {
    added.set(host, performance.now())
    await request(`${project}/domains/${host}/verify`, { method: 'POST' })
  }

  /** The version that the host shows; undefined if a fault keeps it from the visitor. */
  async function visit(host: string): Promise<number | undefined> {
    const invokedAt = performance.now()
    try {
      const { status, text } = await askSite(
        httpsPort,
        host,
        platform.root,
        '/',
        {},
        { timeoutMs: answerWithinMs },
      )
      const version = Number(/^<h1>version (\d+)</.exec(text)?.[1])
      if (status === 200 && version > 0) {
        publishing.visits.push({
          project: slug,
          host,
          version,
          invokedAt,
          completedAt: performance.now(),
        })
        return version
      }
      if (status < 502 || status > 504)
        history.unexpected.push(`unexpected: https://${host}: ${status} ${text.slice(0, 200)}`)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (wrongCertificates.includes(code))
        history.unexpected.push(`unexpected: https://${host}: ${code}`)
    }
    return undefined
  }

  async function readFingerprint(host: string): Promise<string | undefined> {
    const socket = await openTls(httpsPort, host, platform.root).catch(() => undefined)
    const fingerprint = socket?.getPeerX509Certificate()?.fingerprint256
    socket?.destroy()
    return fingerprint
  }

  async function isSettled(host: string): Promise<boolean> {
    const newest = issuedBy(cluster).findLast((certificate) => certificate.host === host)
    return newest !== undefined && newest.fingerprint === (await readFingerprint(host))
  }

  return {
    verified: () => verified,
    async takeTurn(): Promise<void> {
      const { built } = await deploy()
      for (let n = 0; n < visitsPerTurn && active.size > 0; n++)
        await visit(random.pick([...active]))
      if (built) await attendDomains()
    },

    /** The final state of every host of the project. */
    async settle(): Promise<FinalHost[]> {
      labels.length = 0
      const { built, outcome, version } = await deploy()
      if (!built) history.unexpected.push(`stuck: the last deploy of ${slug} (${outcome})`)
      const all = [...added.keys(), `${slug}.${platformHost}`]
      const until = performance.now() + settlesWithinMs
      for (const host of all) {
        while (!(await isSettled(host)) && performance.now() < until) {
          await attendDomains()
          await delay(1000)
        }
      }
      const read = async (path: string): Promise<unknown> => {
        const { json, status, text } = await manage(project + path)
        if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
        return json
      }
      for (const each of ((await read('/deploys?limit=100')) as { items: Deploy[] }).items)
        publishing.finalDeploys.set(deployKey(slug, each.number), builtOf(each))
      const { items } = (await read('/domains')) as Domains
      const status = await manage('/system')
      const { failing } = (status.json as System).certificates ?? { failing: 0 }
      return await Promise.all(
        all.map(async (host): Promise<FinalHost> => {
          const { certificate } = items.find((each) => each.host === host) ?? {}
          return {
            host,
            isActive: (await visit(host)) === version,
            isCurrent: await isSettled(host),
            // Nobody can verify the platform's own hosts again: the next attempt may be in hours.
            isRetried: certificate === undefined && failing > 0,
            shown: JSON.stringify(certificate ?? 'no domain'),
          }
        }),
      )
    },
  }
}

const builtOf = ({ finishedAt, siteFiles: files, state }: Deploy) => ({
  state,
  siteFiles: files,
  finishedAt,
})

function issuedBy({ platform }: Cluster) {
  return platform.orders().flatMap(({ chain, hosts: [host = ''], placedAt }) => {
    if (chain === undefined) return []
    return [{ host, placedAt, fingerprint: new X509Certificate(chain).fingerprint256 }]
  })
}

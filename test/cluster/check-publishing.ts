// What has to hold of deploys, domains and certificates, whatever fails:
// - an accepted deploy is built once, to an end, and goes live unless a later one was faster;
// - from then on no visitor sees an earlier one, on any node;
// - a refused deploy never goes live;
// - a host that points to the platform gets its certificate, and no second one before the first is due for renewal.
import type {
  Deployment,
  FinalHost,
  IssuedCertificate,
  PublishingHistory,
  Visit,
} from './history.ts'

/** One line for each violation. */
export function checkPublishing(history: PublishingHistory): string[] {
  const { certificateLastsMs, certificates, deployments, finalHosts, visits } = history
  const visitsOf = Map.groupBy(visits, ({ project }) => project)
  return [
    ...deployments.flatMap((deployment) => checkDeployment(history, deployment)),
    ...[...Map.groupBy(deployments, ({ project }) => project)].flatMap(([project, of]) => [
      ...checkNumbers(of),
      ...checkVisits(of, visitsOf.get(project) ?? []),
    ]),
    ...checkCertificates(certificates, certificateLastsMs),
    ...finalHosts.flatMap(checkFinalHost),
  ]
}

export const deployKey = (project: string, number: number): string => `${project} ${number}`

function checkDeployment(
  { finalDeploys, siteFiles }: PublishingHistory,
  { built, number, outcome, project, version }: Deployment,
): string[] {
  if (outcome !== 'acknowledged' || number === undefined) return []
  const name = `deploy ${number} of ${project} (version ${version})`
  if (!built) return [`lost: ${name} was never built`]
  const { at: _, ...then } = built
  const found: string[] = []
  if (built.state !== 'live' && built.state !== 'superseded')
    found.push(`lost: ${name} is ${built.state}`)
  else if (built.siteFiles !== siteFiles)
    found.push(`wrong: ${name} has ${built.siteFiles} of ${siteFiles} files`)
  const end = finalDeploys.get(deployKey(project, number))
  // A live one is superseded by the next.
  if (end && JSON.stringify({ ...end, state: then.state }) !== JSON.stringify(then))
    found.push(`doubled: ${name} was built again: ${JSON.stringify([then, end])}`)
  return found
}

/** A later deploy has a higher number. */
function checkNumbers(deployments: readonly Deployment[]): string[] {
  const accepted = deployments.filter(({ number }) => number !== undefined)
  return accepted.flatMap(({ number = 0, project }, i) => {
    const before = accepted[i - 1]?.number ?? 0
    return number > before ? [] : [`lost: number ${number} of ${project} was given after ${before}`]
  })
}

/**
 * Each visit shows the version that was live before it, or a later one. A deploy whose outcome is not known may still be
 * accepted at any later time, and then counts as later than all others.
 */
function checkVisits(deployments: readonly Deployment[], visits: readonly Visit[]): string[] {
  const byVersion = new Map(deployments.map((deployment) => [deployment.version, deployment]))
  const seen: { at: number; version: number }[] = []
  for (const { built, version } of deployments) if (built) seen.push({ at: built.at, version })
  for (const { completedAt, version } of visits)
    if (byVersion.get(version)?.outcome === 'acknowledged') seen.push({ at: completedAt, version })
  seen.sort((a, b) => a.at - b.at)
  let next = 0
  let least = 0
  return visits
    .toSorted((a, b) => a.invokedAt - b.invokedAt)
    .flatMap(({ host, invokedAt, project, version }) => {
      for (; next < seen.length; next++) {
        const known = seen[next] as (typeof seen)[number]
        if (known.at >= invokedAt) break
        least = Math.max(least, known.version)
      }
      const visit = `a visit of ${host} (${project}) at ${(invokedAt / 1000).toFixed(2)} s`
      const deployment = byVersion.get(version)
      if (!deployment) return [`wrong: ${visit} saw version ${version}`]
      if (deployment.outcome === 'refused')
        return [`changed after a 503: ${visit} saw version ${version}`]
      if (deployment.outcome === 'unknown' || version >= least) return []
      return [`stale: ${visit} saw version ${version} after ${least}`]
    })
}

/** No host gets a certificate that it does not need. */
function checkCertificates(certificates: readonly IssuedCertificate[], lastsMs: number): string[] {
  return [...Map.groupBy(certificates, ({ host }) => host)].flatMap(([host, of]) =>
    of.flatMap(({ placedAt }, i) => {
      const before = of[i - 1]
      if (!before || placedAt - before.placedAt >= lastsMs) return []
      const seconds = Math.round((placedAt - before.placedAt) / 1000)
      return [`doubled: ${host} got another certificate after ${seconds} s`]
    }),
  )
}

function checkFinalHost({ host, isActive, isCurrent, isRetried, shown }: FinalHost): string[] {
  if (isActive && isCurrent) return []
  if (isActive) return [`lost: ${host} is not served with the certificate that was issued last`]
  return isRetried ? [] : [`stuck: ${host} is not served over HTTPS: ${shown}`]
}

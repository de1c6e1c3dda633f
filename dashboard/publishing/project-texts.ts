// Texts about projects and deploys, for pages and for their first paint.
import type { Answer } from '../../client/management-client.ts'
import { counted } from '../platform/numbers.ts'
import { span } from '../platform/times.ts'
import { badges, compareHosts } from './domains/domain-status.ts'

type Project = Answer<'GET /projects/{slug}'>
type Deploy = Answer<'GET /projects/{slug}/deploys/{number}'>

/** Where visitors see the site: at the primary domain once it is served. */
export const addressOf = ({ address, domains }: Project): string =>
  domains.primary !== null && domains.isPrimaryServed ? `https://${domains.primary}/` : address

export const isUnderWay = ({ state }: Deploy): boolean =>
  state === 'uploaded' || state === 'building'

/** The message of its author; without one, what it is. */
export function titleOf({ createdVia, message, number }: Deploy): string {
  return message ?? (createdVia === 'program' ? 'Built-in documentation' : `Deploy ${number}`)
}

/** `#4 · Rebuild of #3 · Olga · Dashboard`: the number only if the title does not have it. */
export function originOf(deploy: Deploy): string {
  const { createdByName, number, rebuildOf } = deploy
  const shown = titleOf(deploy) === `Deploy ${number}` ? null : `#${number}`
  const rebuild = rebuildOf === null ? null : `Rebuild of #${rebuildOf}`
  const words = [shown, rebuild, createdByName, wayOf(deploy)]
  return words.filter((word) => word !== null).join(' · ')
}

function wayOf({ createdVia, tokenLabel }: Deploy): string | null {
  if (createdVia === 'session') return 'Dashboard'
  if (createdVia === 'command_line') return 'Command line'
  if (createdVia === 'program') return 'Animal Store'
  return createdVia === null ? null : `Token ${tokenLabel ?? ''}`
}

/** `took 2 s`. */
export function durationOf(deploy: Deploy): string | null {
  if (isUnderWay(deploy) || deploy.finishedAt === null) return null
  const ms = Date.parse(deploy.finishedAt) - Date.parse(deploy.createdAt)
  return `took ${(ms < 1000 ? 'less than 1 s' : span(ms)).replaceAll(' ', '\u00a0')}`
}

interface Problem {
  title: string
  to: string
  /** How many domains it is about; 1 for a deploy. */
  count: number
}

type Attention = Project['domains']['attention'][number]

/** More domains than this with the same status are one line. */
const maxListed = 2

const ofMany: Partial<Record<Attention['badge'], string>> = {
  add_dns_record: 'need a DNS record',
  fix_dns: 'need a fix of their DNS records',
  prove_ownership: 'need a proof of ownership',
  prepare_certificate: 'need records for their certificates',
  ready_to_switch: 'are ready to switch',
  needs_attention: 'need attention',
  at_risk: 'are at risk',
  suspended: 'are suspended',
  paused: 'are paused',
}

/** A last deploy that failed, and domains that need action. */
export function problemsOf({ domains, lastDeploy, liveDeploy, slug }: Project): Problem[] {
  const list = `/projects/${slug}/settings/domains`
  const sorted = domains.attention.toSorted((a, b) => compareHosts(a.host, b.host))
  const problems = [...Map.groupBy(sorted, ({ badge }) => badge)].flatMap(([badge, found]) => {
    const { title } = badges[badge]
    const count = found.length
    if (count > maxListed) {
      const text = `${counted(count, 'domain')} ${ofMany[badge] ?? `: ${title}`}`
      return [{ title: text, to: `${list}?search=${encodeURIComponent(title)}`, count }]
    }
    return found.map(({ host }) => ({
      title: `${host}: ${title}`,
      to: `${list}?domain=${encodeURIComponent(host)}`,
      count: 1,
    }))
  })
  if (lastDeploy?.state !== 'failed') return problems
  const rest = liveDeploy ? ` Deploy ${liveDeploy.number} is still live.` : ''
  const failed = `Deploy ${lastDeploy.number} failed.${rest}`
  return [{ title: failed, to: `/projects/${slug}/deploys`, count: 1 }, ...problems]
}

// The first texts of pages that follow from what they request (platform/page-frames.ts). The build bundles this file for the
// server, which paints them before the page's script runs. So it imports nothing of a browser or of React.
import type { Answer } from '../client/management-client.ts'
import { leadOf, notConfirmed, noticesOf } from './accounts/account-texts.ts'
import { shownAddress } from './platform/numbers.ts'
import { ago } from './platform/times.ts'
import { badges, compareDomains, headlineOf } from './publishing/domains/domain-status.ts'
import { addressOf, durationOf, originOf, problemsOf, titleOf } from './publishing/project-texts.ts'
import { summaryOf } from './store/animal-summary.ts'

export interface PageTexts {
  title?: string
  lead?: string
  /** The lines of each card or row, the first one strong. */
  cards?: string[][]
}

type Project = Answer<'GET /projects/{slug}'>
type Deploy = Answer<'GET /projects/{slug}/deploys/{number}'>
type Items<Item> = { items: Item[] }
/** Finds the answer to a request of the page. */
type Find = <Found>(request: string) => Found | undefined

const projectPath = '/projects/:slug'
const storePath = '/store/:environment'

/** The texts of the page at a pattern of page-frames.ts, from the answers that there are by their requests. */
export function textsOf(path: string, answers: Record<string, unknown>): PageTexts {
  const find: Find = <Found>(request: string) => answers[request] as Found | undefined
  if (path === '/' || path === '/projects') return { cards: projectsIn(find) }
  if (path.startsWith(projectPath)) {
    const project = find<Project>(projectPath)
    return {
      ...(project && { title: project.name }),
      cards: cardsOfProject(path.slice(projectPath.length), find),
    }
  }
  if (path === `${storePath}/animals`) {
    const state = find<Answer<'GET /store/{environment}'>>(storePath)
    const animals = find<Items<{ name: string }>>(`${storePath}/animals?limit=20`)
    return {
      ...(state && { lead: summaryOf(state) }),
      cards: (animals?.items ?? []).map(({ name }) => [name]),
    }
  }
  if (path === '/account') {
    const account = find<Answer<'GET /account'>>('/session')
    if (!account) return {}
    const confirmation = find<Answer<'GET /account/email-confirmation'>>(
      '/account/email-confirmation',
    )
    const isConfirmed = !confirmation || confirmation.confirmedAt !== null
    const email = isConfirmed ? [] : [notConfirmed, noticesOf(confirmation, account.role)]
    return { lead: leadOf(account), cards: [[account.name, account.email, ...email]] }
  }
  return {}
}

function projectsIn(find: Find): string[][] {
  const projects = find<Items<Project>>('/projects?limit=50')?.items ?? []
  return projects.map((project) => [project.name, shownAddress(addressOf(project))])
}

function cardsOfProject(tab: string, find: Find): string[][] {
  if (tab === '') {
    const project = find<Project>(projectPath)
    if (!project) return []
    const { liveDeploy } = project
    const site = [shownAddress(addressOf(project)), ...(liveDeploy ? linesOf(liveDeploy) : [])]
    return [...problemsOf(project).map(({ title }) => [title]), site]
  }
  if (tab === '/deploys') {
    const deploys = find<Items<Deploy>>(`${projectPath}/deploys?limit=20`)
    return (deploys?.items ?? []).map(linesOf)
  }
  if (tab === '/settings/domains') {
    const domains = find<Answer<'GET /projects/{slug}/domains'>>(`${projectPath}/domains`)
    return (domains?.items ?? []).toSorted(compareDomains).map((domain) => {
      const { badge, unicodeHost } = domain
      return [unicodeHost, badges[badge].title, headlineOf(domain, Date.now())]
    })
  }
  return []
}

function linesOf(deploy: Deploy): string[] {
  const facts = [originOf(deploy), ago(deploy.createdAt), durationOf(deploy)]
  return [titleOf(deploy), facts.filter((fact) => fact).join(' · ')]
}

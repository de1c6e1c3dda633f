// @ts-check
// What somebody sees who is in: what is published, how to publish more, where the documentation is.
import { ask, explain, Refusal } from './api.js'
import { commandBlock } from './copying.js'
import { deploySection } from './deploying.js'
import { actionButton, element, show } from './elements.js'
import { noteSession } from './session.js'

/** @typedef {import('./session.js').Account} Account */
/** @typedef {{ name: string, address: string, liveDeploy: object | null }} Project */

const mostShown = 5

/**
 * @param {Account} account
 * @param {(note: string) => void} leave To be called when the session has ended.
 */
export function showHome(account, leave) {
  const { email, name, role } = account
  const fault = element('p', { class: 'fault', role: 'alert' })
  const ended = () => {
    noteSession(false)
    leave('Your session has ended. Sign in again.')
  }
  const signOut = actionButton(
    'Sign out',
    async () => {
      try {
        await ask('DELETE /session')
        noteSession(false)
        leave('You have signed out.')
      } catch (error) {
        fault.textContent = explain(error)
      }
    },
    'button quiet',
  )
  const body = [
    element('p', { class: 'lead' }, `${name} · ${email} · ${role}`),
    fault,
    projectsSection(ended),
    deploySection(ended),
    ...(role === 'operator' ? [inviteSection()] : []),
    documentationSection(),
  ]
  show('You are in', body, { isWide: true, beside: signOut })
}

/** Follows what happens elsewhere whenever somebody comes back to the page. @param {() => void} ended */
function projectsSection(ended) {
  const content = element('div', {}, element('p', { class: 'waiting' }, 'One moment …'))
  const section = element(
    'section',
    { 'aria-labelledby': 'projects' },
    element('h2', { id: 'projects' }, 'Published here'),
    content,
  )
  let shown = ''
  async function update() {
    try {
      const answer = /** @type {{ items: Project[], next: string | null }} */ (
        await ask(`GET /projects?limit=${mostShown}`)
      )
      if (JSON.stringify(answer) === shown) return
      shown = JSON.stringify(answer)
      content.replaceChildren(...projectList(answer.items, answer.next !== null))
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        stop.abort()
        return ended()
      }
      const again = actionButton('Try again', update, 'button quiet')
      shown = ''
      content.replaceChildren(
        element('p', { class: 'fault', role: 'alert' }, explain(error)),
        again,
      )
    }
  }
  const stop = new AbortController()
  const back = () => {
    if (!section.isConnected) stop.abort()
    else if (document.visibilityState === 'visible') void update()
  }
  document.addEventListener('visibilitychange', back, { signal: stop.signal })
  void update()
  return section
}

/** @param {Project[]} projects @param {boolean} hasMore */
function projectList(projects, hasMore) {
  if (projects.length === 0)
    return [element('p', {}, 'You have no project yet. The commands below make your first.')]
  const items = projects.map(({ address, liveDeploy, name }) =>
    element(
      'li',
      {},
      element('strong', {}, name),
      element('a', { href: address }, address),
      ...(liveDeploy
        ? []
        : [element('span', { class: 'small' }, 'Nothing is published there yet.')]),
    ),
  )
  const list = element('ul', { class: 'projects' }, ...items)
  const more = element('p', { class: 'small' }, `These are the first ${mostShown}; there are more.`)
  return hasMore ? [list, more] : [list]
}

function inviteSection() {
  const block = commandBlock('Make an invitation')
  block.write('./animal-store accounts invite --email rosa@example.com')
  return element(
    'section',
    { 'aria-labelledby': 'invite' },
    element('h2', { id: 'invite' }, 'Invite somebody'),
    element(
      'p',
      {},
      'On the server’s machine, in the folder of the program. It prints a link to hand over.',
    ),
    block.root,
  )
}

function documentationSection() {
  const help = document.querySelector('link[rel="help"]')?.getAttribute('href')
  /** @type {[string, string][]} */
  const links = [['/api/openapi.json', 'OpenAPI document of the management API']]
  if (help) {
    links.unshift(
      [help, 'Documentation'],
      [new URL('publishing', help).href, 'Publishing'],
      [new URL('reference/', help).href, 'API reference'],
    )
  }
  const items = links.map(([href, text]) => element('li', {}, element('a', { href }, text)))
  return element(
    'section',
    { 'aria-labelledby': 'documentation' },
    element('h2', { id: 'documentation' }, 'Read on'),
    element('ul', { class: 'links' }, ...items),
  )
}

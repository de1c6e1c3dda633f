// @ts-check
// The name servers of a domain: the zone version of each, when the next one reaches it, and its fault.
import { ask } from './api.js'
import { choice, element } from './elements.js'

/** @typedef {import('./api.js').Domain} Domain */
/** @typedef {import('./api.js').Server} Server */

/** @type {[string, string][]} */
const delays = [
  ['0', 'immediately'],
  ['10', 'after 10 s'],
  ['60', 'after 1 min'],
  ['600', 'after 10 min'],
  ['held', 'when released'],
]
/** @type {Record<string, string>} */
const faultTexts = {
  none: 'answers correctly',
  lame: 'does not know the zone',
  refusing: 'refuses queries',
  silent: 'does not answer',
  servfail: 'answers SERVFAIL',
  slow: 'answers slowly',
  tcp_only: 'answers over TCP only',
  failing_caa: 'answers SERVFAIL for CAA',
}

/** @param {import('./api.js').Lab} lab @param {string} path @param {(domain: Domain) => void} update */
export function serversView(lab, path, update) {
  const list = element('ul', { class: 'servers' })
  const summary = element('p', { class: 'soft' })
  /** @type {Map<string, { badge: HTMLElement, delay: HTMLSelectElement, fault: HTMLSelectElement }>} */
  let shown = new Map()

  /** @param {Server} server */
  function item({ address, name }) {
    const badge = element('span', { class: 'badge' })
    const delay = choice(delays, '0', { 'aria-label': `Changes reach ${name}` })
    const fault = choice(
      lab.faults.map((one) => [one, faultTexts[one] ?? one]),
      'none',
      { 'aria-label': `Behavior of ${name}` },
    )
    /** @param {object} body */
    const change = (body) => {
      void ask(`PUT ${path}/servers/${name}`, body).then((answer) =>
        update(/** @type {Domain} */ (answer)),
      )
    }
    delay.addEventListener('change', () =>
      change({ delay: delay.value === 'held' ? 'held' : Number(delay.value) }),
    )
    fault.addEventListener('change', () => change({ fault: fault.value }))
    shown.set(name, { badge, delay, fault })
    return element(
      'li',
      {},
      element('div', { class: 'who' }, element('strong', {}, name), element('code', {}, address)),
      badge,
      element(
        'div',
        { class: 'knobs' },
        element('span', {}, 'Changes arrive ', delay),
        element('span', {}, 'Behavior: ', fault),
      ),
    )
  }

  return {
    view: element('div', {}, summary, list),
    /** @param {Domain} domain */
    draw({ serial, servers }) {
      if (servers.some(({ name }) => !shown.has(name)) || shown.size !== servers.length) {
        shown = new Map()
        list.replaceChildren(...servers.map(item))
      }
      for (const server of servers) {
        const { badge, delay, fault } = /** @type {NonNullable<ReturnType<typeof shown.get>>} */ (
          shown.get(server.name)
        )
        const text = stateOf(server, serial)
        if (badge.textContent !== text) badge.textContent = text
        badge.className = `badge ${server.fault === 'none' ? (server.isCurrent ? '' : 'waiting') : 'wrong'}`
        if (document.activeElement !== delay) delay.value = String(server.delay)
        if (document.activeElement !== fault) fault.value = server.fault
      }
      const current = servers.filter(({ isCurrent }) => isCurrent).length
      summary.textContent = `${current} of ${servers.length} have version ${serial} of the zone.`
    },
  }
}

/** @param {Server} server @param {number} serial */
function stateOf({ dueAt, fault, isCurrent, serial: has }, serial) {
  if (fault !== 'none') return `Faulty: ${faultTexts[fault] ?? fault}`
  if (isCurrent) return `Has version ${serial}`
  if (dueAt === null) return `Has version ${has}, held`
  const seconds = Math.max(0, Math.ceil((dueAt - Date.now()) / 1000))
  return `Has version ${has}, next in ${seconds} s`
}

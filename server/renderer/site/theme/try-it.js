// @ts-check
// Try it: sends the request of the form to the server that the site has chosen, and shows the response. Keys are read
// from their fields for each request and kept nowhere else: no storage, no cookies, no address.
import {
  readFieldValue,
  writeField,
  writeParameter,
  writeUrlencoded,
} from '../../api-reference/request/written-form.js'

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */
/** @typedef {{ text: string, kind?: string }} Piece */

const maxBytes = 1_000_000
const maxHighlighted = 100_000
const maxSeconds = 30
/** Methods that change nothing (RFC 9110, section 9.2.1). */
const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'QUERY']

/** A problem that is explained to the reader. */
class Explained extends Error {}

/** @param {HTMLFormElement} form @returns {Field[]} */
const fieldsOf = (form) =>
  [...form.querySelectorAll('[data-in]')].filter((field) => 'value' in field)

/** How its value is written. @param {Field} field */
function formOf({ dataset }) {
  const { explode, in: place = '', name = '', reserved, style, type } = dataset
  const flags = { explode: explode !== undefined, reserved: reserved !== undefined, isFile: false }
  return { name, in: /** @type {'query'} */ (place), style: style ?? 'form', type, ...flags }
}

/** @param {Field} field */
function readValue({ dataset, value }) {
  try {
    return readFieldValue(dataset.kind, value)
  } catch {
    throw new Explained(`The value of ${dataset.name} is not valid JSON.`)
  }
}

/** @param {Field} field */
const written = (field) => writeParameter(formOf(field), readValue(field))

/** @param {HTMLFormElement} form @returns {{ url: string, init: RequestInit }} */
function requestOf(form) {
  const { method = 'GET', route = '', server = '' } = form.dataset
  const fields = fieldsOf(form).filter(({ value }) => value !== '')
  /** @param {string} place */
  const at = (place) => fields.filter((field) => field.dataset.in === place)
  const path = route.replace(/\{([^{}]*)\}/g, (_, name) => {
    const field = at('path').find(({ dataset }) => dataset.name === name)
    return field === undefined ? encodeURIComponent(name) : written(field)
  })
  const query = at('query')
    .map(written)
    .filter((text) => text !== '')
  const url = `${server}${path.startsWith('/') ? '' : '/'}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const headers = new Headers()
  for (const field of at('header')) setHeader(headers, field, written(field))
  for (const field of at('credential')) {
    setHeader(headers, field, (field.dataset.prefix ?? '') + field.value.trim())
  }
  const [user] = at('user')
  const [password] = at('password')
  if (user || password) headers.set('Authorization', `Basic ${basic(user, password)}`)
  const body = bodyOf(fields, headers)
  // A key is the only credential: cookies and the address of this page are not sent.
  const init = { method, headers, credentials: 'omit', cache: 'no-store', ...(body && { body }) }
  return { url, init: { ...init, referrerPolicy: 'no-referrer' } }
}

/** @param {Field | undefined} user @param {Field | undefined} password */
function basic(user, password) {
  const bytes = new TextEncoder().encode(`${user?.value ?? ''}:${password?.value ?? ''}`)
  return btoa(String.fromCharCode(...bytes))
}

/** @param {Headers} headers @param {Field} field @param {string} value */
function setHeader(headers, field, value) {
  const name = field.dataset.name ?? ''
  try {
    headers.set(name, value)
  } catch {
    throw new Explained(`The value of ${name} has characters that a header cannot have.`)
  }
}

/** @param {Field[]} fields @param {Headers} headers @returns {BodyInit | undefined} */
function bodyOf(fields, headers) {
  /** @type {string[]} */
  const pairs = []
  const parts = new FormData()
  for (const field of fields) {
    const { in: place, style, type = '' } = field.dataset
    const files = [...((field instanceof HTMLInputElement && field.files) || [])]
    if (place === 'body' || place === 'file') {
      headers.set('Content-Type', type)
      return files[0] ?? field.value
    }
    const form = { ...formOf(field), style }
    if (place === 'urlencoded') pairs.push(writeUrlencoded(form, readValue(field)))
    if (place !== 'multipart') continue
    for (const file of files) {
      parts.append(form.name, type === '' ? file : new File([file], file.name, { type }))
    }
    if (files.length > 0) continue
    for (const { name, text, type } of writeField(form, readValue(field))) {
      parts.append(name, type === undefined ? text : new Blob([text], { type }))
    }
  }
  if (pairs.length === 0) return [...parts].length > 0 ? parts : undefined
  headers.set('Content-Type', 'application/x-www-form-urlencoded')
  return pairs.filter((pair) => pair !== '').join('&')
}

/** The beginning of a long body. @param {Response} response */
async function readBody(response) {
  const reader = response.body?.getReader()
  const bytes = new Uint8Array(maxBytes)
  let length = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    const part = value.subarray(0, maxBytes - length)
    bytes.set(part, length)
    length += part.length
    if (part.length < value.length) {
      await reader.cancel()
      return { bytes, isWhole: false }
    }
  }
  return { bytes: bytes.subarray(0, length), isWhole: true }
}

/** JSON with its text as it came, so that no digit is lost, indented. @param {string} text @returns {Piece[]} */
function indentJson(text) {
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  return tokens.map((token, index) => {
    if (token === ':') return { text: ': ' }
    if (token === ',') return { text: `,${line()}` }
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (/^[{[]/.test(token))
      return { text: token.length === 1 ? token + line() : token[0] + token.at(-1) }
    if (/^[}\]]/.test(token)) return { text: line() + token }
    const kind = tokens[index + 1] === ':' ? 'c-tag' : 'c-string'
    return { text: token, kind: token.startsWith('"') ? kind : 'c-constant' }
  })
}

/** @param {string} text @param {string} type @returns {Piece[]} */
function formatted(text, type) {
  if (!/json/i.test(type)) return [{ text }]
  try {
    JSON.parse(text)
  } catch {
    return [{ text }]
  }
  const pieces = indentJson(text)
  return text.length > maxHighlighted
    ? [{ text: pieces.map((piece) => piece.text).join('') }]
    : pieces
}

/** @param {Uint8Array} bytes @param {string} type @returns {Piece[]} */
function shownBody(bytes, type) {
  const isText = type === '' || /^text\/|json|xml|yaml|csv|javascript|graphql/i.test(type)
  if (!isText) return [{ text: `${bytes.length} bytes of ${type}` }]
  return formatted(new TextDecoder().decode(bytes), type)
}

/** @param {string} name @param {string} text @param {string} [className] */
function element(name, text, className = '') {
  const element = document.createElement(name)
  element.textContent = text
  if (className !== '') element.className = className
  return element
}

/** What a status means for the reader; undefined if the body says enough. @param {Response} response @param {boolean} hasKey */
function meaningOf({ headers, status }, hasKey) {
  const wait = headers.get('Retry-After')
  if (status === 401) {
    return hasKey
      ? 'The server did not accept the key. Check that it is complete, not expired, and a key of this server.'
      : 'The server asks for a key. Paste one above.'
  }
  if (status === 403) return 'The server knows the key, but the key lacks a permission.'
  if (status === 429) {
    return `Too many requests. Try again ${wait === null ? 'later' : `in ${wait} s`}.`
  }
  return status >= 500 ? 'The server failed to process the request. Try again later.' : undefined
}

/**
 * Why there was no response. A browser does not say whether a server is silent or forbids the page to read: a request
 * without key and response tells. @param {string} server @param {AbortSignal} redirected
 */
async function reasonFor(server, redirected) {
  const { host } = new URL(server)
  if (!navigator.onLine) return 'There is no connection to the network.'
  const signal = AbortSignal.timeout(5_000)
  const probe = fetch(server, { mode: 'no-cors', credentials: 'omit', cache: 'no-store', signal })
  const [{ status }] = await Promise.allSettled([probe])
  // The policy's violation is reported in a task after the failure.
  await new Promise((resolve) => setTimeout(resolve))
  if (redirected.aborted) {
    return `${host} redirects to another address, to which this page must not connect.`
  }
  return status === 'fulfilled'
    ? `${host} can be reached, but does not allow requests from ${location.origin}. Its operator must allow this origin (CORS).`
    : `${host} cannot be reached. Check that the server is running and has a valid certificate.`
}

/** Resolves to whether the reader agrees. @param {HTMLDialogElement} dialog */
function confirmed(dialog) {
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === 'send')
  })
}

/** @template {Element} E @param {Element} root @param {string} selector @param {new () => E} type @returns {E} */
function part(root, selector, type) {
  const element = root.querySelector(selector)
  if (!(element instanceof type)) throw new Error(`no ${selector}`)
  return element
}

/** @param {Element} root */
function start(root) {
  const form = part(root, 'form', HTMLFormElement)
  const state = part(root, '.api-try-state', HTMLElement)
  const button = part(form, 'button', HTMLButtonElement)
  const answer = part(root, '.api-try-answer', HTMLElement)
  const dialog = part(root, 'dialog', HTMLDialogElement)
  const { method = '', server = '' } = form.dataset
  let hasAgreed = safeMethods.includes(method)
  /** @type {AbortController | undefined} */
  let running

  for (const choice of dialog.querySelectorAll('button')) {
    choice.addEventListener('click', () => dialog.close(choice.value))
  }

  /** @param {string} text @param {number} [status] */
  function report(text, status) {
    state.replaceChildren()
    if (status !== undefined) {
      const kind = `api-status api-status-${Math.floor(status / 100)}`
      state.append(element('span', String(status), kind), ' ')
    }
    state.append(text)
  }

  /** @param {Response} response */
  function showHeaders(response) {
    const list = part(answer, 'dl', HTMLElement)
    const headers = [...response.headers]
    part(answer, 'summary', HTMLElement).textContent =
      headers.length === 1 ? '1 header' : `${headers.length} headers`
    list.replaceChildren(
      ...headers.flatMap(([name, value]) => [element('dt', name), element('dd', value)]),
    )
  }

  async function send() {
    const { init, url } = requestOf(form)
    const hasKey = fieldsOf(form).some(({ dataset, value }) => {
      return value !== '' && (dataset.in === 'credential' || dataset.in === 'password')
    })
    const begun = performance.now()
    const cancel = new AbortController()
    running = cancel
    const redirected = new AbortController()
    const note = () => redirected.abort()
    addEventListener('securitypolicyviolation', note)
    try {
      const signal = AbortSignal.any([cancel.signal, AbortSignal.timeout(maxSeconds * 1000)])
      const response = await fetch(url, { ...init, signal })
      const { bytes, isWhole } = await readBody(response)
      const milliseconds = Math.round(performance.now() - begun)
      const type = response.headers.get('Content-Type') ?? ''
      showHeaders(response)
      const pieces = shownBody(bytes, type).map(({ kind, text }) =>
        kind === undefined ? text : element('span', text, kind),
      )
      part(answer, 'code', HTMLElement).replaceChildren(...pieces)
      part(answer, '.code-block', HTMLElement).hidden = bytes.length === 0
      answer.hidden = false
      const words = [response.statusText, `${milliseconds} ms`].filter((word) => word !== '')
      const notes = [
        meaningOf(response, hasKey),
        isWhole ? undefined : 'The response is long: only its beginning is shown.',
      ].filter((line) => line !== undefined)
      report([words.join(' · '), ...notes].join('. '), response.status)
    } catch (error) {
      if (cancel.signal.aborted) throw new Explained('Cancelled.')
      if (error instanceof DOMException && error.name === 'TimeoutError') {
        throw new Explained(`No response within ${maxSeconds} seconds.`)
      }
      throw new Explained(await reasonFor(server, redirected.signal))
    } finally {
      removeEventListener('securitypolicyviolation', note)
      running = undefined
    }
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (running) return running.abort()
    hasAgreed ||= await confirmed(dialog)
    if (!hasAgreed) return
    const label = button.textContent
    answer.hidden = true
    button.textContent = 'Cancel'
    report('Waiting for the response…')
    try {
      await send()
    } catch (error) {
      if (!(error instanceof Explained)) throw error
      report(error.message)
    } finally {
      button.textContent = label
    }
  })
}

for (const root of document.querySelectorAll('.api-try')) start(root)

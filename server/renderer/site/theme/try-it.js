// @ts-check
// Try it: sends the request of the form to the server that the site has chosen, and shows the response. Keys are read
// from their fields for each request and kept nowhere else: no storage, no cookies, no address.
import {
  readFieldValue,
  writeField,
  writeParameter,
  writeUrlencoded,
} from '../../api-reference/request/written-form.js'
import { element } from './element.js'

/**
 * What try-it-form.ts writes of a field as the name of its control, and its content: a text or a file.
 * @typedef {import('../../api-reference/request/written-form.d.ts').FieldForm & {
 *   in: any, style: string, type: string, kind?: string, prefix?: string, value: any
 * }} Field
 */

const maxBytes = 1_000_000
const maxHighlighted = 100_000
const maxSeconds = 30
/** Methods that change nothing (RFC 9110, section 9.2.1). */
const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'QUERY']

/** A problem that is explained to the reader. */
class Explained extends Error {}

/** Those with content. @param {HTMLFormElement} form @returns {Field[]} */
const fieldsOf = (form) =>
  Array.from(new FormData(form), ([about, value]) => ({ ...JSON.parse(about), value })).filter(
    ({ value }) => value !== '' && value.name !== '',
  )

/** @param {Field} field */
function readValue({ kind, name, value }) {
  try {
    return readFieldValue(kind, value)
  } catch {
    throw new Explained(`The value of ${name} is not valid JSON.`)
  }
}

/** @param {Field} field */
const written = (field) => writeParameter(field, readValue(field))

/** @param {HTMLFormElement} form @returns {{ url: string, init: RequestInit }} */
function requestOf(form) {
  const { method = 'GET', route = '', server = '' } = form.dataset
  const fields = fieldsOf(form)
  /** @param {string} place */
  const at = (place) => fields.filter((field) => field.in === place)
  const path = route.replace(/\{([^{}]*)\}/g, (_, name) => {
    const field = at('path').find((field) => field.name === name)
    return field === undefined ? encodeURIComponent(name) : written(field)
  })
  const query = at('query').map(written).filter(Boolean).join('&')
  const url = `${server}${path.startsWith('/') ? '' : '/'}${path}${query && `?${query}`}`
  const headers = new Headers()
  for (const field of at('header')) setHeader(headers, field.name, written(field))
  for (const { name, prefix, value } of at('credential')) {
    setHeader(headers, name, prefix + value.trim())
  }
  const user = ['user', 'password'].map((place) => at(place)[0]?.value ?? '').join(':')
  const bytes = new TextEncoder().encode(user)
  if (user !== ':') headers.set('Authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`)
  const body = bodyOf(at, headers)
  // A key is the only credential: cookies and the address of this page are not sent.
  const init = { method, headers, credentials: 'omit', cache: 'no-store', ...(body && { body }) }
  return { url, init: { ...init, referrerPolicy: 'no-referrer' } }
}

/** @param {Headers} headers @param {string} name @param {string} value */
function setHeader(headers, name, value) {
  try {
    headers.set(name, value)
  } catch {
    throw new Explained(`The value of ${name} has characters that a header cannot have.`)
  }
}

/** @param {(place: string) => Field[]} at @param {Headers} headers @returns {BodyInit | undefined} */
function bodyOf(at, headers) {
  const [whole] = at('body')
  if (whole) {
    headers.set('Content-Type', whole.type)
    return whole.value
  }
  const form = new FormData()
  for (const field of at('multipart')) {
    const { name, type, value } = field
    const isText = typeof value === 'string'
    const parts = isText ? writeField(field, readValue(field)) : [{ name, text: value, type }]
    for (const { name, text, type } of parts) {
      const content = type === undefined ? text : new File([text], value.name ?? 'blob', { type })
      form.append(name, content)
    }
  }
  const pairs = at('urlencoded').map((field) => writeUrlencoded(field, readValue(field)))
  if (pairs.length === 0) return [...form].length > 0 ? form : undefined
  headers.set('Content-Type', 'application/x-www-form-urlencoded')
  return pairs.filter(Boolean).join('&')
}

/** The beginning of a long body. @param {Response} response */
async function readBody(response) {
  const reader = response.body?.getReader()
  const parts = []
  let length = 0
  while (reader && length <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    length += value.length
  }
  await reader?.cancel()
  return { content: new Blob(parts).slice(0, maxBytes), isWhole: length <= maxBytes }
}

/** JSON is indented and coloured, and no digit of it is lost. @param {Blob} content @param {string} type */
async function shownBody(content, type) {
  const isText = type === '' || /^text\/|json|xml|yaml|csv|javascript|graphql/i.test(type)
  if (!isText) return [`${content.size} bytes of ${type}`]
  const text = await content.text()
  /** @param {string} _ @param {unknown} value @param {{ source: string }} context */
  const exact = (_, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value)
  try {
    if (!/json/i.test(type)) return [text]
    const json = JSON.stringify(JSON.parse(text, exact), null, 2)
    if (json.length > maxHighlighted) return [json]
    const pieces = json.split(/("(?:[^"\\]|\\.)*"|[-+.\w]+)/)
    return pieces.map((piece, index) => {
      const string = pieces[index + 1]?.startsWith(':') ? 'c-tag' : 'c-string'
      const kind = piece.startsWith('"') ? string : 'c-constant'
      return index % 2 === 0 ? piece : element('span', { class: kind }, piece)
    })
  } catch {
    return [text]
  }
}

/** What a status means for the reader; undefined if the body says enough. @param {Response} response @param {boolean} hasKey */
function meaningOf({ headers, status }, hasKey) {
  const wait = headers.get('Retry-After')
  /** @type {Record<number, string>} */
  const meanings = {
    401: hasKey
      ? 'The server did not accept the key. Check that it is complete, not expired, and a key of this server.'
      : 'The server asks for a key. Paste one above.',
    403: 'The server knows the key, but the key lacks a permission.',
    429: `Too many requests. Try again ${wait === null ? 'later' : `in ${wait} s`}.`,
  }
  return status < 500
    ? meanings[status]
    : 'The server failed to process the request. Try again later.'
}

/**
 * Why there was no response. A browser does not say whether a server is silent or forbids the page to read: a request
 * without key and response tells.
 */
async function reasonFor() {
  const { host } = new URL(server)
  if (!navigator.onLine) return 'There is no connection to the network.'
  const signal = AbortSignal.timeout(5_000)
  const probe = fetch(server, { mode: 'no-cors', credentials: 'omit', cache: 'no-store', signal })
  const [{ status }] = await Promise.allSettled([probe])
  // The policy's violation is reported in a task after the failure.
  await new Promise((resolve) => setTimeout(resolve))
  if (isRedirected)
    return `${host} redirects to another address, to which this page must not connect.`
  return status === 'fulfilled'
    ? `${host} can be reached, but does not allow requests from ${location.origin}. Its operator must allow this origin (CORS).`
    : `${host} cannot be reached. Check that the server is running and has a valid certificate.`
}

/** @param {string} selector @returns {any} */
const part = (selector) => document.querySelector(`.api-try ${selector}`)
const selectors = ['form', 'dialog', '.api-try-state', 'button', '.api-try-answer']
const [form, dialog, state, button, answer] = selectors.map(part)
const { method = '', server = '' } = form.dataset
let hasAgreed = safeMethods.includes(method)
let isRedirected = false
addEventListener('securitypolicyviolation', () => {
  isRedirected = true
})
/** @type {AbortController | undefined} */
let running

/** @param {Response} response @param {Blob} content */
async function show(response, content) {
  const headers = [...response.headers]
  const words = headers.length === 1 ? '1 header' : `${headers.length} headers`
  part('.api-try-answer summary').textContent = words
  part('dl').replaceChildren(
    ...headers.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  )
  const pieces = await shownBody(content, response.headers.get('Content-Type') ?? '')
  part('pre code').replaceChildren(...pieces)
  part('.code-block').hidden = content.size === 0
  answer.hidden = false
}

async function send() {
  const { init, url } = requestOf(form)
  const hasKey = fieldsOf(form).some((field) => ['credential', 'password'].includes(field.in))
  const begun = performance.now()
  const cancel = new AbortController()
  running = cancel
  isRedirected = false
  try {
    const signal = AbortSignal.any([cancel.signal, AbortSignal.timeout(maxSeconds * 1000)])
    const response = await fetch(url, { ...init, signal })
    const { content, isWhole } = await readBody(response)
    const milliseconds = Math.round(performance.now() - begun)
    await show(response, content)
    const { status, statusText } = response
    const notes = [
      `${statusText && `${statusText} · `}${milliseconds} ms`,
      meaningOf(response, hasKey),
      !isWhole && 'The response is long: only its beginning is shown.',
    ]
    const kind = `api-status api-status-${Math.floor(status / 100)}`
    const badge = element('span', { class: kind }, `${status}`)
    state.replaceChildren(badge, ` ${notes.filter(Boolean).join('. ')}`)
  } catch (error) {
    if (cancel.signal.aborted) throw new Explained('Cancelled.')
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new Explained(`No response within ${maxSeconds} seconds.`)
    }
    throw new Explained(await reasonFor())
  } finally {
    running = undefined
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (running) return running.abort()
  if (!hasAgreed) {
    dialog.showModal()
    await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
    hasAgreed = dialog.returnValue === 'send'
    if (!hasAgreed) return
  }
  const label = button.textContent
  answer.hidden = true
  button.textContent = 'Cancel'
  state.textContent = 'Waiting for the response…'
  try {
    await send()
  } catch (error) {
    if (!(error instanceof Explained)) throw error
    state.textContent = error.message
  } finally {
    button.textContent = label
  }
})

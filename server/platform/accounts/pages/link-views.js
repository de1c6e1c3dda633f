// @ts-check
// What a one-time link shows: the form that it is good for, or why it is good for nothing and what to do.
import { ask, Refusal } from './api.js'
import { actionButton, buttonLink, element, show } from './elements.js'
import { emailField, nameField, newPasswordField } from './field.js'
import { createForm } from './form.js'
import { noteSession } from './session.js'
import { timeElement } from './times.js'

/** @typedef {import('./session.js').Account} Account */
/** @typedef {{ kind: 'set_up' | 'invitation' | 'password', email: string | null, expiresAt: string }} Link */

const emailHint = 'You sign in with it. Nothing is sent to it.'

/** @type {Record<Link['kind'], { title: string, lead: string, route: string, label: string, busy: string }>} */
const forms = {
  set_up: {
    title: 'Make the first account',
    lead: 'You become the operator: the one who invites the others.',
    route: 'POST /set-up',
    label: 'Make the account',
    busy: 'Making the account …',
  },
  invitation: {
    title: 'Make your account',
    lead: 'You are invited to this Animal Store.',
    route: 'POST /invitations/accept',
    label: 'Make the account',
    busy: 'Making the account …',
  },
  password: {
    title: 'Set a new password',
    lead: 'It signs you out wherever else you are signed in.',
    route: 'POST /password',
    label: 'Set the password',
    busy: 'Setting the password …',
  },
}

/** What to do about a link that is good for nothing, by the page that it led to. */
const remedies = new Map([
  [
    '/set-up',
    'The link is printed at every start of the program until it was used. Start the program again, and open the link that it prints then.',
  ],
  ['/invitation', 'Ask the operator for a new one.'],
  ['/password', 'Ask the operator for a new one.'],
])

/** The pages that links lead to. @param {string} path */
export function isLinkPage(path) {
  return remedies.has(path)
}

/**
 * @param {Link} link
 * @param {string} token
 * @param {Account | undefined} current Who is signed in already.
 * @param {() => Promise<unknown>} enter
 */
export function showLinkForm(link, token, current, enter) {
  const { busy, label, lead, route, title } = forms[link.kind]
  const isPassword = link.kind === 'password'
  const email = link.email ?? undefined
  const fixed = { fixed: email ?? '', hint: 'The invitation is for this address.' }
  const fields = isPassword
    ? [emailField({ fixed: email ?? '' }), newPasswordField('New password')]
    : [
        nameField(),
        emailField(email === undefined ? { hint: emailHint } : fixed),
        newPasswordField('Password'),
      ]
  const form = createForm({
    fields,
    label,
    busy,
    places: {
      email_taken: {
        field: 'email',
        message: 'There is an account with this address already. Sign in, or take another address.',
      },
    },
    async send({ email: typed, ...values }) {
      const body = { token, ...values, ...(isPassword ? {} : { email: typed }) }
      try {
        await ask(route, body)
        noteSession(true)
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'link_not_valid') throw error
        showDeadLink(location.pathname, current)
        return
      }
      await enter()
    },
  })
  const works = element(
    'p',
    { class: 'small' },
    'The link works once, until ',
    timeElement(link.expiresAt),
    '.',
  )
  show(title, [
    element('p', { class: 'lead' }, lead),
    ...(current && current.email !== email ? [otherAccount(current, isPassword)] : []),
    form,
    works,
  ])
}

/** @param {Account} current @param {boolean} isPassword */
function otherAccount({ email, name }, isPassword) {
  const what = isPassword ? 'This link is for another account' : 'This link makes another account'
  return element(
    'p',
    { class: 'note' },
    `You are signed in as ${name} (${email}). ${what}, which takes its place. `,
    element('a', { href: '/' }, 'Stay signed in as you are'),
  )
}

/** It was used, has expired, or never was. @param {string} path @param {Account | undefined} current */
export function showDeadLink(path, current) {
  show('This link does not work any more', [
    element('p', { class: 'lead' }, 'It was used already, or has expired.'),
    element('p', {}, remedies.get(path) ?? ''),
    ...wayOut(
      path === '/password'
        ? 'Your password is set? Then sign in.'
        : 'You have an account? Then sign in.',
      current,
    ),
  ])
}

/** Somebody opened the page without the part of the link that matters. */
/** @param {string} path @param {Account | undefined} current */
export function showNoToken(path, current) {
  const code = element('code', {}, '#')
  const lead = element('p', { class: 'lead' }, 'The part from the ', code, ' on is missing.')
  show('This link is not complete', [
    lead,
    element('p', {}, 'Copy the whole link, and open it again.'),
    element('p', {}, `You do not have it any more? ${remedies.get(path) ?? ''}`),
    ...wayOut('You have an account? Then sign in.', current),
  ])
}

/** @param {string} question @param {Account | undefined} current */
function wayOut(question, current) {
  if (!current) return [element('p', {}, question), buttonLink('/', 'Sign in')]
  const { email, name } = current
  return [element('p', {}, `You are signed in as ${name} (${email}).`), buttonLink('/', 'Go on')]
}

/** Nobody could say anything about the link, or the session. @param {() => void} retry */
export function showUnreachable(retry) {
  show('The server does not answer', [
    element('p', { class: 'lead' }, 'Nothing is lost, and a link stays as good as it was.'),
    element('p', {}, 'Is the program running, and this machine on its network?'),
    actionButton('Try again', retry),
  ])
}

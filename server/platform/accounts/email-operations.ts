// The operations that confirm the e-mail address of an account.
import { declareOperations } from '../management/operation.ts'
import * as schema from './schema.ts'

export const confirmEmailOperations = declareOperations(
  { tag: 'session', access: 'open' },
  {
    confirmEmail: {
      route: 'POST /email-confirmation',
      summary: 'Confirm an e-mail address with the link that was sent to it',
      description: 'Works without a session.',
      body: schema.LinkToken,
      errors: ['link_not_valid'],
    },
  },
)

export const emailOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    getEmailConfirmation: {
      route: 'GET /account/email-confirmation',
      summary: 'Get whether the e-mail address of the current account is confirmed',
      answer: schema.EmailConfirmation,
    },
    sendEmailConfirmation: {
      route: 'POST /account/email-confirmation',
      summary: 'Send the link that confirms the e-mail address',
      description: 'At most once in ten minutes.',
      errors: ['conflict', 'rate_limited'],
    },
  },
)

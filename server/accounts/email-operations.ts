// The operations that confirm the e-mail address of an account.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'

export const confirmEmailOperations = declareOperations(
  { tag: 'session', access: 'open' },
  {
    confirmEmail: {
      route: 'POST /email-confirmation',
      summary: 'Confirm an e-mail address with the link that was sent to it',
      description:
        'Works without a session. The link of a new address changes the account to this address.',
      body: schema.LinkToken,
      errors: ['link_not_valid', 'email_taken'],
    },
  },
)

export const emailOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    getEmailConfirmation: {
      route: 'GET /account/email-confirmation',
      summary: 'Get whether the e-mail address of the current account is confirmed',
      returns: schema.EmailConfirmation,
    },
    cancelEmailChange: {
      route: 'DELETE /account/email-change',
      summary: 'Cancel the change to an e-mail address that is not confirmed yet',
      description: 'Its link stops working. Succeeds without such a change, too.',
    },
    sendEmailConfirmation: {
      route: 'POST /account/email-confirmation',
      summary: 'Send the link that confirms the e-mail address',
      description: 'At most once in ten minutes.',
      errors: ['conflict', 'rate_limited'],
    },
  },
)

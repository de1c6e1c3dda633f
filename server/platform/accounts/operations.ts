// The operations on accounts in the management API. None has a scope for access tokens: a leaked token
// cannot create further tokens or change the account.
import { declareOperations } from '../management/operation.ts'
import * as schema from './schema.ts'

export const sessionOperations = declareOperations(
  { tag: 'session', access: 'open' },
  {
    checkLink: {
      route: 'POST /links/check',
      summary: 'Check a one-time link',
      body: schema.LinkToken,
      answer: schema.Link,
      errors: ['link_not_valid'],
    },
    setUp: {
      route: 'POST /set-up',
      summary: 'Create the first operator account and sign in',
      description: 'Requires the token of the set-up link that the program prints at startup.',
      body: schema.NewAccount,
      status: 201,
      answer: schema.Account,
      errors: ['link_not_valid', 'email_taken', 'rate_limited'],
    },
    acceptInvitation: {
      route: 'POST /invitations/accept',
      summary: 'Create an account from an invitation and sign in',
      body: schema.NewAccount,
      status: 201,
      answer: schema.Account,
      errors: ['link_not_valid', 'email_taken', 'rate_limited'],
    },
    resetPassword: {
      route: 'POST /password',
      summary: 'Reset a password with a link and sign in',
      description: 'Ends all existing sessions of the account.',
      body: schema.PasswordByLink,
      status: 201,
      answer: schema.Account,
      errors: ['link_not_valid', 'rate_limited'],
    },
    signIn: {
      route: 'POST /session',
      summary: 'Sign in',
      description:
        'Sets the cookie of a new session. Ends the session that was used for the request, if any.',
      body: schema.SignIn,
      status: 201,
      answer: schema.Account,
      errors: ['invalid_credentials', 'rate_limited'],
    },
    getSession: {
      route: 'GET /session',
      summary: 'Get the account of the current session',
      access: 'account',
      answer: schema.Account,
    },
    signOut: {
      route: 'DELETE /session',
      summary: 'Sign out',
      description: 'Ends the current session. Succeeds without a session, too.',
    },
  },
)

export const accountOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    getAccount: {
      route: 'GET /account',
      summary: 'Get current account',
      answer: schema.Account,
    },
    changeAccount: {
      route: 'PATCH /account',
      summary: 'Change the name or e-mail address of the current account',
      body: schema.AccountPatch,
      answer: schema.Account,
      errors: ['invalid_credentials', 'email_taken', 'rate_limited'],
    },
    changePassword: {
      route: 'PUT /account/password',
      summary: 'Change password',
      description: 'Ends all other sessions of the account. Access tokens stay valid.',
      body: schema.PasswordChange,
      errors: ['invalid_credentials', 'rate_limited', 'conflict'],
    },
    listSessions: {
      route: 'GET /account/sessions',
      summary: 'List sessions of the current account',
      answer: schema.Sessions,
    },
    endSession: {
      route: 'DELETE /account/sessions/{sessionId}',
      summary: 'End a session',
      errors: ['session_not_found'],
    },
    endOtherSessions: {
      route: 'DELETE /account/sessions',
      summary: 'End all other sessions',
    },
    listTokens: {
      route: 'GET /account/tokens',
      summary: 'List access tokens of the current account',
      answer: schema.AccessTokens,
    },
    createToken: {
      route: 'POST /account/tokens',
      summary: 'Create a personal access token',
      description:
        'For the command line and for automation. The token is shown only in this response.',
      body: schema.NewAccessToken,
      status: 201,
      answer: schema.IssuedAccessToken,
      errors: ['limit_reached'],
    },
    revokeToken: {
      route: 'DELETE /account/tokens/{tokenId}',
      summary: 'Revoke an access token',
      errors: ['token_not_found'],
    },
  },
)

export const memberOperations = declareOperations(
  { tag: 'members', access: 'operator' },
  {
    listAccounts: {
      route: 'GET /accounts',
      summary: 'List all accounts',
      query: schema.ListAccountsQuery,
      answer: schema.Accounts,
    },
    changeStanding: {
      route: 'PATCH /accounts/{accountId}',
      summary: 'Change the plan or the role of an account',
      body: schema.AccountStanding,
      answer: schema.Account,
      errors: ['account_not_found', 'conflict'],
    },
    removeAccount: {
      route: 'DELETE /accounts/{accountId}',
      summary: 'Remove an account that owns no projects',
      errors: ['account_not_found', 'conflict'],
    },
    createPasswordLink: {
      route: 'POST /accounts/{accountId}/password-link',
      summary: 'Create a password reset link for an account',
      description: 'Works once and expires after 24 hours. Earlier links stop working.',
      status: 201,
      answer: schema.IssuedLink,
      errors: ['account_not_found'],
    },
    listInvitations: {
      route: 'GET /invitations',
      summary: 'List pending invitations',
      answer: schema.Invitations,
    },
    createInvitation: {
      route: 'POST /invitations',
      summary: 'Create an invitation link',
      description: 'Works once and expires after 7 days.',
      body: schema.NewInvitation,
      status: 201,
      answer: schema.IssuedInvitation,
      errors: ['email_taken', 'limit_reached'],
    },
    revokeInvitation: {
      route: 'DELETE /invitations/{invitationId}',
      summary: 'Revoke an invitation',
      errors: ['invitation_not_found'],
    },
  },
)

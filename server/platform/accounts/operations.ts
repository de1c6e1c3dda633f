// The operations on accounts in the management API. None has a scope for access tokens: a leaked token
// cannot create further tokens or change the account.
import { operation } from '../management/operation.ts'
import {
  AccessTokens,
  Account,
  AccountPatch,
  AccountStanding,
  Accounts,
  Invitations,
  IssuedAccessToken,
  IssuedInvitation,
  IssuedLink,
  Link,
  LinkToken,
  ListAccountsQuery,
  NewAccessToken,
  NewAccount,
  NewInvitation,
  PasswordByLink,
  PasswordChange,
  Sessions,
  SignIn,
} from './schema.ts'

export const checkLink = operation({
  route: 'POST /links/check',
  operationId: 'checkLink',
  tag: 'session',
  summary: 'Check a one-time link',
  access: 'open',
  body: LinkToken,
  status: 200,
  answer: Link,
  errors: ['link_not_valid'],
})

export const setUp = operation({
  route: 'POST /set-up',
  operationId: 'setUp',
  tag: 'session',
  summary: 'Create the first operator account and sign in',
  description: 'Requires the token of the set-up link that the program prints at startup.',
  access: 'open',
  body: NewAccount,
  status: 201,
  answer: Account,
  errors: ['link_not_valid', 'email_taken', 'rate_limited'],
})

export const acceptInvitation = operation({
  route: 'POST /invitations/accept',
  operationId: 'acceptInvitation',
  tag: 'session',
  summary: 'Create an account from an invitation and sign in',
  access: 'open',
  body: NewAccount,
  status: 201,
  answer: Account,
  errors: ['link_not_valid', 'email_taken', 'rate_limited'],
})

export const resetPassword = operation({
  route: 'POST /password',
  operationId: 'resetPassword',
  tag: 'session',
  summary: 'Reset a password with a link and sign in',
  description: 'Ends all existing sessions of the account.',
  access: 'open',
  body: PasswordByLink,
  status: 201,
  answer: Account,
  errors: ['link_not_valid', 'rate_limited'],
})

export const signIn = operation({
  route: 'POST /session',
  operationId: 'signIn',
  tag: 'session',
  summary: 'Sign in',
  description:
    'Sets the cookie of a new session. Ends the session that was used for the request, if any.',
  access: 'open',
  body: SignIn,
  status: 201,
  answer: Account,
  errors: ['invalid_credentials', 'rate_limited'],
})

export const getSession = operation({
  route: 'GET /session',
  operationId: 'getSession',
  tag: 'session',
  summary: 'Get the account of the current session',
  access: 'account',
  status: 200,
  answer: Account,
  errors: [],
})

export const signOut = operation({
  route: 'DELETE /session',
  operationId: 'signOut',
  tag: 'session',
  summary: 'Sign out',
  description: 'Ends the current session. Succeeds without a session, too.',
  access: 'open',
  status: 204,
  errors: [],
})

export const getAccount = operation({
  route: 'GET /account',
  operationId: 'getAccount',
  tag: 'account',
  summary: 'Get current account',
  access: 'account',
  status: 200,
  answer: Account,
  errors: [],
})

export const changeAccount = operation({
  route: 'PATCH /account',
  operationId: 'changeAccount',
  tag: 'account',
  summary: 'Change the name or e-mail address of the current account',
  access: 'account',
  body: AccountPatch,
  status: 200,
  answer: Account,
  errors: ['invalid_credentials', 'email_taken', 'rate_limited'],
})

export const changePassword = operation({
  route: 'PUT /account/password',
  operationId: 'changePassword',
  tag: 'account',
  summary: 'Change password',
  description: 'Ends all other sessions of the account. Access tokens stay valid.',
  access: 'account',
  body: PasswordChange,
  status: 204,
  errors: ['invalid_credentials', 'rate_limited', 'conflict'],
})

export const listSessions = operation({
  route: 'GET /account/sessions',
  operationId: 'listSessions',
  tag: 'account',
  summary: 'List sessions of the current account',
  access: 'account',
  status: 200,
  answer: Sessions,
  errors: [],
})

export const endSession = operation({
  route: 'DELETE /account/sessions/{sessionId}',
  operationId: 'endSession',
  tag: 'account',
  summary: 'End a session',
  access: 'account',
  status: 204,
  errors: ['session_not_found'],
})

export const endOtherSessions = operation({
  route: 'DELETE /account/sessions',
  operationId: 'endOtherSessions',
  tag: 'account',
  summary: 'End all other sessions',
  access: 'account',
  status: 204,
  errors: [],
})

export const listTokens = operation({
  route: 'GET /account/tokens',
  operationId: 'listTokens',
  tag: 'account',
  summary: 'List access tokens of the current account',
  access: 'account',
  status: 200,
  answer: AccessTokens,
  errors: [],
})

export const createToken = operation({
  route: 'POST /account/tokens',
  operationId: 'createToken',
  tag: 'account',
  summary: 'Create a personal access token',
  description: 'For the command line and for automation. The token is shown only in this response.',
  access: 'account',
  body: NewAccessToken,
  status: 201,
  answer: IssuedAccessToken,
  errors: ['limit_reached'],
})

export const revokeToken = operation({
  route: 'DELETE /account/tokens/{tokenId}',
  operationId: 'revokeToken',
  tag: 'account',
  summary: 'Revoke an access token',
  access: 'account',
  status: 204,
  errors: ['token_not_found'],
})

export const listAccounts = operation({
  route: 'GET /accounts',
  operationId: 'listAccounts',
  tag: 'members',
  summary: 'List all accounts',
  access: 'operator',
  query: ListAccountsQuery,
  status: 200,
  answer: Accounts,
  errors: [],
})

export const changeStanding = operation({
  route: 'PATCH /accounts/{accountId}',
  operationId: 'changeStanding',
  tag: 'members',
  summary: 'Change the plan or the role of an account',
  access: 'operator',
  body: AccountStanding,
  status: 200,
  answer: Account,
  errors: ['account_not_found', 'conflict'],
})

export const removeAccount = operation({
  route: 'DELETE /accounts/{accountId}',
  operationId: 'removeAccount',
  tag: 'members',
  summary: 'Remove an account that owns no projects',
  access: 'operator',
  status: 204,
  errors: ['account_not_found', 'conflict'],
})

export const createPasswordLink = operation({
  route: 'POST /accounts/{accountId}/password-link',
  operationId: 'createPasswordLink',
  tag: 'members',
  summary: 'Create a password reset link for an account',
  description: 'Works once and expires after 24 hours. Earlier links stop working.',
  access: 'operator',
  status: 201,
  answer: IssuedLink,
  errors: ['account_not_found'],
})

export const listInvitations = operation({
  route: 'GET /invitations',
  operationId: 'listInvitations',
  tag: 'members',
  summary: 'List pending invitations',
  access: 'operator',
  status: 200,
  answer: Invitations,
  errors: [],
})

export const createInvitation = operation({
  route: 'POST /invitations',
  operationId: 'createInvitation',
  tag: 'members',
  summary: 'Create an invitation link',
  description: 'Works once and expires after 7 days.',
  access: 'operator',
  body: NewInvitation,
  status: 201,
  answer: IssuedInvitation,
  errors: ['email_taken', 'limit_reached'],
})

export const revokeInvitation = operation({
  route: 'DELETE /invitations/{invitationId}',
  operationId: 'revokeInvitation',
  tag: 'members',
  summary: 'Revoke an invitation',
  access: 'operator',
  status: 204,
  errors: ['invitation_not_found'],
})

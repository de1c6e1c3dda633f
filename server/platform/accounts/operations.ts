// The operations on accounts, as the management API declares them. None has a scope for access tokens:
// who has got hold of a token can neither make more of them nor touch the account.
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
  summary: 'Say what a one-time link is good for',
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
  summary: 'Make the first operator, and sign in',
  description: 'With the link that the first start prints.',
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
  summary: 'Make an account by invitation, and sign in',
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
  summary: 'Set a password by link, and sign in',
  description: 'Ends all sessions that the account had.',
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
  description: 'Sets the cookie of a new session. The session that the request came by ends.',
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
  summary: 'Say who has signed in',
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
  description: 'Ends the session that the request came by. It is no error when there is none.',
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
  summary: 'Change the name or the e-mail address of the own account',
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
  summary: 'Change the own password',
  description: 'Ends all other sessions of the account. Access tokens go on.',
  access: 'account',
  body: PasswordChange,
  status: 204,
  errors: ['invalid_credentials', 'rate_limited', 'conflict'],
})

export const listSessions = operation({
  route: 'GET /account/sessions',
  operationId: 'listSessions',
  tag: 'account',
  summary: 'List the own sessions',
  access: 'account',
  status: 200,
  answer: Sessions,
  errors: [],
})

export const endSession = operation({
  route: 'DELETE /account/sessions/{sessionId}',
  operationId: 'endSession',
  tag: 'account',
  summary: 'End one of the own sessions',
  access: 'account',
  status: 204,
  errors: ['session_not_found'],
})

export const endOtherSessions = operation({
  route: 'DELETE /account/sessions',
  operationId: 'endOtherSessions',
  tag: 'account',
  summary: 'End all the own sessions but this one',
  access: 'account',
  status: 204,
  errors: [],
})

export const listTokens = operation({
  route: 'GET /account/tokens',
  operationId: 'listTokens',
  tag: 'account',
  summary: 'List the own access tokens',
  access: 'account',
  status: 200,
  answer: AccessTokens,
  errors: [],
})

export const createToken = operation({
  route: 'POST /account/tokens',
  operationId: 'createToken',
  tag: 'account',
  summary: 'Make a personal access token',
  description: 'For the command line and for machines. It is shown this once.',
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
  summary: 'Revoke one of the own access tokens',
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
  summary: 'Make a link by which the owner of an account sets a new password',
  description: 'It works once, for 24 hours. One that was made before stops working.',
  access: 'operator',
  status: 201,
  answer: IssuedLink,
  errors: ['account_not_found'],
})

export const listInvitations = operation({
  route: 'GET /invitations',
  operationId: 'listInvitations',
  tag: 'members',
  summary: 'List the invitations that are open',
  access: 'operator',
  status: 200,
  answer: Invitations,
  errors: [],
})

export const createInvitation = operation({
  route: 'POST /invitations',
  operationId: 'createInvitation',
  tag: 'members',
  summary: 'Make a link by which somebody gets an account',
  description: 'It works once, for 7 days.',
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

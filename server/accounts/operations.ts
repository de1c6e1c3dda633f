// The operations on accounts in the management API. None has a scope for access tokens: a leaked token
// cannot create further tokens or change the account.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'
import * as webauthn from './webauthn-schema.ts'

export const sessionOperations = declareOperations(
  { tag: 'session', access: 'open' },
  {
    checkLink: {
      route: 'POST /links/check',
      summary: 'Check a one-time link',
      body: schema.LinkToken,
      returns: schema.Link,
      errors: ['link_not_valid'],
    },
    setUp: {
      route: 'POST /set-up',
      summary: 'Create the first operator account and sign in',
      description: 'Requires the token of the set-up link that the program prints at startup.',
      body: schema.NewAccount,
      status: 201,
      returns: schema.Account,
      errors: ['link_not_valid', 'email_taken', 'rate_limited'],
    },
    acceptInvitation: {
      route: 'POST /invitations/accept',
      summary: 'Create an account from an invitation and sign in',
      body: schema.NewAccount,
      status: 201,
      returns: schema.Account,
      errors: ['link_not_valid', 'rate_limited'],
    },
    resetPassword: {
      route: 'POST /password',
      summary: 'Reset a password with a link and sign in',
      description: 'Ends all existing sessions of the account.',
      body: schema.PasswordByLink,
      status: 201,
      returns: schema.Account,
      errors: ['link_not_valid', 'rate_limited', 'second_factor_required', 'invalid_code'],
    },
    signIn: {
      route: 'POST /session',
      summary: 'Sign in',
      description:
        'Sets the cookie of a new session. Ends the session that was used for the request, if any. An account with a second factor requires a code: send the password again with it.',
      body: schema.SignIn,
      status: 201,
      returns: schema.Account,
      errors: ['invalid_credentials', 'second_factor_required', 'invalid_code', 'rate_limited'],
    },
    getSession: {
      route: 'GET /session',
      isForEnrolment: true,
      summary: 'Get the account of the current session',
      access: 'account',
      returns: schema.Account,
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
      isForEnrolment: true,
      summary: 'Get current account',
      returns: schema.Account,
    },
    changeAccount: {
      route: 'PATCH /account',
      summary: 'Change the name or e-mail address of the current account',
      description:
        'A new e-mail address takes effect when it is confirmed by the link that is sent to it; until then the account keeps its address. The response does not tell whether another account has the address: its owner is told by mail. Without a mail server, a member gets a `conflict`, and the address of an operator changes at once.',
      body: schema.AccountPatch,
      returns: schema.Account,
      errors: ['invalid_credentials', 'conflict', 'email_taken', 'rate_limited'],
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
      returns: schema.Sessions,
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
      returns: schema.AccessTokens,
    },
    createToken: {
      route: 'POST /account/tokens',
      summary: 'Create a personal access token',
      description:
        'For the command line and for automation. The token is shown only in this response.',
      body: schema.NewAccessToken,
      status: 201,
      returns: schema.IssuedAccessToken,
      errors: ['limit_reached'],
    },
    revokeTokens: {
      route: 'DELETE /account/tokens',
      summary: 'Revoke all access tokens of the current account',
    },
    revokeToken: {
      route: 'DELETE /account/tokens/{tokenId}',
      summary: 'Revoke an access token',
      errors: ['token_not_found'],
    },
  },
)

export const secondFactorOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    getSecondFactor: {
      route: 'GET /account/second-factor',
      isForEnrolment: true,
      summary: 'Get the second factor of the current account',
      returns: schema.SecondFactor,
    },
    startCodeSetUp: {
      route: 'POST /account/second-factor/set-up',
      isForEnrolment: true,
      summary: 'Create the secret for an authenticator app',
      description: 'Changes nothing until it is confirmed with a first code.',
      body: schema.Reauthentication,
      status: 201,
      returns: schema.CodeSetUp,
      errors: ['invalid_credentials', 'rate_limited', 'conflict'],
    },
    confirmCodeSetUp: {
      route: 'POST /account/second-factor/confirm',
      isForEnrolment: true,
      summary: 'Turn one-time codes on with a first code',
      description: 'Returns recovery codes, each of which works once instead of a code.',
      body: schema.CodeConfirmation,
      returns: schema.RecoveryCodes,
      errors: ['second_factor_not_found', 'invalid_code', 'rate_limited'],
    },
    createRecoveryCodes: {
      route: 'POST /account/second-factor/recovery-codes',
      summary: 'Replace the recovery codes',
      body: schema.Reauthentication,
      status: 201,
      returns: schema.RecoveryCodes,
      errors: ['invalid_credentials', 'rate_limited', 'second_factor_not_found'],
    },
    removeOwnSecondFactor: {
      route: 'POST /account/second-factor/remove',
      summary: 'Turn one-time codes off',
      body: schema.Reauthentication,
      errors: ['invalid_credentials', 'rate_limited', 'second_factor_not_found'],
    },
  },
)

export const passkeySignInOperations = declareOperations(
  { tag: 'session', access: 'open' },
  {
    startPasskeySignIn: {
      route: 'POST /session/passkey/options',
      summary: 'Get a challenge to sign in by passkey',
      returns: webauthn.RequestOptions,
    },
    signInByPasskey: {
      route: 'POST /session/passkey',
      summary: 'Sign in by passkey',
      description: 'Takes the response of navigator.credentials.get. Requires no code.',
      body: webauthn.PasskeySignIn,
      status: 201,
      returns: schema.Account,
      errors: ['invalid_passkey', 'rate_limited'],
    },
  },
)

export const passkeyOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    listPasskeys: {
      route: 'GET /account/passkeys',
      isForEnrolment: true,
      summary: 'List passkeys of the current account',
      returns: webauthn.Passkeys,
    },
    startPasskey: {
      route: 'POST /account/passkeys/options',
      isForEnrolment: true,
      summary: 'Get the options to create a passkey',
      body: webauthn.PasskeyAttempt,
      returns: webauthn.CreationOptions,
      errors: ['invalid_credentials', 'rate_limited'],
    },
    addPasskey: {
      route: 'POST /account/passkeys',
      isForEnrolment: true,
      summary: 'Add a passkey',
      description: 'Takes the response of navigator.credentials.create.',
      body: webauthn.NewPasskey,
      status: 201,
      returns: webauthn.Passkey,
      errors: ['invalid_passkey', 'limit_reached'],
    },
    removePasskey: {
      route: 'POST /account/passkeys/{passkeyId}/remove',
      summary: 'Remove a passkey',
      body: schema.Reauthentication,
      errors: ['invalid_credentials', 'rate_limited', 'passkey_not_found'],
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
      returns: schema.Accounts,
    },
    changeStanding: {
      route: 'PATCH /accounts/{accountId}',
      summary: 'Change the plan or the role of an account',
      body: schema.AccountStanding,
      returns: schema.Account,
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
      returns: schema.IssuedLink,
      errors: ['account_not_found'],
    },
    removeSecondFactor: {
      route: 'DELETE /accounts/{accountId}/second-factor',
      summary: 'Turn off the one-time codes of an account',
      description: 'For owners who have lost their device and their recovery codes.',
      errors: ['second_factor_not_found'],
    },
    listInvitations: {
      route: 'GET /invitations',
      summary: 'List pending invitations',
      returns: schema.Invitations,
    },
    createInvitation: {
      route: 'POST /invitations',
      summary: 'Create an invitation link',
      description: 'Works once and expires after 7 days.',
      body: schema.NewInvitation,
      status: 201,
      returns: schema.IssuedInvitation,
      errors: ['email_taken', 'limit_reached'],
    },
    revokeInvitation: {
      route: 'DELETE /invitations/{invitationId}',
      summary: 'Revoke an invitation',
      errors: ['invitation_not_found'],
    },
  },
)

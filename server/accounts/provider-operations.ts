// The operations of sign-in by an identity provider, in the management API. None has a scope for access tokens.
import { declareOperations } from '#kit/management/operation.ts'
import * as provider from './provider-schema.ts'
import { CodeConfirmation } from './schema.ts'

export const providerSignInOperations = declareOperations(
  { tag: 'session', access: 'open' },
  {
    getProvider: {
      route: 'GET /session/provider',
      summary: 'Get the identity provider',
      returns: provider.Provider,
    },
    startProviderSignIn: {
      route: 'POST /session/provider/start',
      summary: 'Start signing in by the identity provider',
      description: 'Sets a cookie that only this browser can finish the sign-in with.',
      body: provider.ProviderStart,
      returns: provider.ProviderAddress,
      errors: ['provider_not_found', 'provider_unavailable'],
    },
    signInByProvider: {
      route: 'POST /session/provider',
      summary: 'Sign in by the identity provider',
      description:
        'Takes the query that the provider has sent the browser back with. An account with a second factor requires a code, unless the provider has checked two factors: send it to POST /session/provider/code.',
      body: provider.ProviderResponse,
      status: 201,
      returns: provider.ProviderSignIn,
      errors: [
        'provider_not_found',
        'provider_unavailable',
        'sign_in_failed',
        'sign_in_cancelled',
        'identity_not_allowed',
        'identity_not_connected',
        'second_factor_required',
        'link_not_valid',
        'rate_limited',
      ],
    },
    confirmProviderSignIn: {
      route: 'POST /session/provider/code',
      summary: 'Sign in by the identity provider with a code',
      description: 'After second_factor_required, within ten minutes.',
      body: CodeConfirmation,
      status: 201,
      returns: provider.ProviderSignIn,
      errors: ['sign_in_failed', 'invalid_code', 'rate_limited'],
    },
  },
)

export const identityOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    listIdentities: {
      route: 'GET /account/identities',
      isForEnrolment: true,
      summary: 'List identities of the current account',
      returns: provider.Identities,
    },
    startIdentity: {
      route: 'POST /account/identities/start',
      summary: 'Start connecting an identity at the provider',
      body: provider.IdentityStart,
      returns: provider.ProviderAddress,
      errors: ['provider_not_found', 'provider_unavailable', 'invalid_credentials', 'rate_limited'],
    },
    connectIdentity: {
      route: 'POST /account/identities',
      summary: 'Connect an identity at the provider',
      description: 'Takes the query that the provider has sent the browser back with.',
      body: provider.ProviderResponse,
      status: 201,
      returns: provider.Identity,
      errors: [
        'provider_not_found',
        'provider_unavailable',
        'sign_in_failed',
        'sign_in_cancelled',
        'identity_not_allowed',
        'identity_taken',
        'limit_reached',
        'rate_limited',
      ],
    },
    removeIdentity: {
      route: 'DELETE /account/identities/{identityId}',
      summary: 'Remove an identity',
      errors: ['identity_not_found', 'conflict'],
    },
    setFirstPassword: {
      route: 'POST /account/password',
      isForEnrolment: true,
      summary: 'Set the password of an account that has none',
      description: 'Within ten minutes of signing in. Ends all other sessions of the account.',
      body: provider.FirstPassword,
      errors: ['conflict', 'sign_in_too_old', 'rate_limited'],
    },
  },
)

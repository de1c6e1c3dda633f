// An operation of the management API: who may call it, and what an access token needs for it.
import type { Static, TSchema } from 'typebox'
import type { Download } from '../api/download.ts'
import type { EventFeed } from '../api/event-stream.ts'
import type { Operation as ApiOperation } from '../api/operation.ts'
import type { Caller } from './caller.ts'
import type { TokenScope } from './token-scopes.ts'

export const managementTags = {
  session: 'Signing in and out, and one-time links.',
  account: "The caller's own account: profile, password, sessions, access tokens.",
  members: 'For operators: accounts, plans and invitations.',
  'audit-log': 'For operators: who changed what.',
  projects: 'Documentation projects.',
  deploys: 'The published versions of a project.',
  domains: 'Custom domains: their DNS records, checks and certificates.',
  store: 'For operators: the environments of the store and their counts.',
  animals: 'For operators: the animals of an environment.',
  categories: 'For operators: the categories of an environment.',
  orders: 'For operators: the orders of an environment.',
  'api-keys': "For operators: the keys of the store's API.",
  webhooks: 'For operators: where the events of an environment are sent.',
  system: 'For operators: the state of the program.',
} as const

type ManagementTag = keyof typeof managementTags

export interface Operation extends ApiOperation {
  tag: ManagementTag
  /** Everybody, any account that is signed in, or an operator. */
  access: 'open' | 'account' | 'operator'
  /** A session without a required second factor may call it, too. */
  isForEnrolment?: true
  /** What an access token needs. Without it only a session can call the operation. */
  scope?: TokenScope
  /** A deploy token can call it, too, for its project: the handler calls `getOwnProject`. */
  isForDeployTokens?: true
}

/** What a handler gives. */
export type OutcomeOf<O> = O extends { events: infer Events extends TSchema }
  ? EventFeed<Static<Events>, Caller>
  : O extends { download: object }
    ? Download
    : O extends { returns: infer Returns extends TSchema }
      ? Static<Returns>
      : // biome-ignore lint/suspicious/noConfusingVoidType: what a handler without a response gives.
        void

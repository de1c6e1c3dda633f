// What clients asked for and what they learned, in order: the input of the checker.

/**
 * What a client knows of an operation.
 * - `acknowledged`: a response said that it was done. A read always is, or it has failed.
 * - `rejected`: a response said that the record's state does not allow it (404, 409).
 * - `refused`: 503 with Retry-After: nothing was changed, and nothing ever will be.
 * - `unknown`: 504, or no response at all.
 */
export type Outcome = 'acknowledged' | 'rejected' | 'refused' | 'unknown'

export interface Operation {
  client: number
  /** The record. Only its client writes to it, one operation after the other. */
  subject: string
  kind: string
  /** What was asked for, such as the new name. */
  input?: string
  /** Milliseconds since the start, of the first attempt and the last response. */
  invokedAt: number
  completedAt: number
  outcome: Outcome
  /** What the response showed. */
  seen?: unknown
}

/** A stay of an animal that several clients compete for: from the response to the order to the request that ends it. */
export interface Hold {
  client: number
  animal: number
  heldFrom: number
  heldUntil: number
}

/** A new record: ids ascend from each acknowledged create to those that begin later. */
export interface Creation {
  /** `pets` or `orders`. */
  sequence: string
  id: number
  invokedAt: number
  completedAt: number
}

/** A deploy that a client asked for. Its pages show its version. */
export interface Deployment {
  project: string
  /** Ascends with the attempts of the project's client, which makes one after the other. */
  version: number
  outcome: Outcome
  /** Of an accepted one. */
  number?: number
  /** What the client was shown when it was built, and when; undefined if that never was. */
  built?: BuiltDeploy & { at: number }
}

export interface BuiltDeploy {
  state: string
  siteFiles: number
  finishedAt: string | null
}

/** A version that a visitor saw. */
export interface Visit {
  project: string
  host: string
  version: number
  invokedAt: number
  completedAt: number
}

/** A host that was added, at the end. */
export interface FinalHost {
  host: string
  /** Whether its site is served over HTTPS. */
  isActive: boolean
  /** Whether it is served with the certificate that was issued last. */
  isCurrent: boolean
  /** Whether the operator is shown that its certificate is retried later. */
  isRetried: boolean
  /** What the management API says of it. */
  shown: string
}

/** A certificate that the authority issued. */
export interface IssuedCertificate {
  host: string
  /** When its order was placed, milliseconds since the epoch. */
  placedAt: number
  /** SHA-256 of its DER. */
  fingerprint: string
}

export interface PublishingHistory {
  /** How many files each deploy publishes. */
  siteFiles: number
  deployments: Deployment[]
  visits: Visit[]
  /** The deploys that are still there at the end, by project and number. */
  finalDeploys: Map<string, BuiltDeploy>
  finalHosts: FinalHost[]
  /** In the order in which they were ordered. */
  certificates: IssuedCertificate[]
  /** A host needs no other certificate for so long, in milliseconds. */
  certificateLastsMs: number
}

export interface History {
  operations: Operation[]
  holds: Hold[]
  creations: Creation[]
  publishing: PublishingHistory
  /** Responses that no fault explains. */
  unexpected: string[]
}

export const emptyHistory = (): History => ({
  operations: [],
  holds: [],
  creations: [],
  publishing: {
    siteFiles: 0,
    deployments: [],
    visits: [],
    finalDeploys: new Map(),
    finalHosts: [],
    certificates: [],
    certificateLastsMs: 0,
  },
  unexpected: [],
})

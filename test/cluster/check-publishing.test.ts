// The checker of deploys, domains and certificates finds what is wrong, and only that.
import { describe, expect, it } from 'vitest'
import { checkPublishing, deployKey } from './check-publishing.ts'
import {
  type BuiltDeploy,
  type Deployment,
  emptyHistory,
  type PublishingHistory,
} from './history.ts'

const project = 'site1'
const host = 'docs.site1.example'
const siteFiles = 3

/** Built right after it was accepted, at `version` seconds. */
function deployed(version: number, change: Partial<BuiltDeploy> = {}): Deployment {
  const finishedAt = new Date(version * 1000).toISOString()
  const built = { state: 'live', siteFiles, finishedAt, at: version * 1000, ...change }
  return { project, version, number: version, outcome: 'acknowledged', built }
}

const failed = (version: number, outcome: 'refused' | 'unknown'): Deployment => ({
  project,
  version,
  outcome,
})

const visit = (version: number, atSeconds: number) => ({
  project,
  host,
  version,
  invokedAt: atSeconds * 1000,
  completedAt: atSeconds * 1000 + 100,
})

const issued = (minutes: number) => ({
  host,
  placedAt: minutes * 60_000,
  fingerprint: `of minute ${minutes}`,
})

const final = { host, isActive: true, isCurrent: true, isRetried: false, shown: 'blocked' }

const check = (part: Partial<PublishingHistory>): string[] =>
  checkPublishing({
    ...emptyHistory().publishing,
    siteFiles,
    certificateLastsMs: 8 * 60_000,
    ...part,
  })

describe('what is right', () => {
  const superseded = { state: 'superseded', siteFiles, finishedAt: new Date(1000).toISOString() }
  const right: Record<string, Partial<PublishingHistory>> = {
    'deploys follow each other': {
      deployments: [deployed(1), deployed(2)],
      visits: [visit(1, 1.1), visit(2, 2.1)],
      finalDeploys: new Map([[deployKey(project, 1), superseded]]),
    },
    'a visit sees a deploy before its client knows of it': {
      deployments: [deployed(1), deployed(5)],
      visits: [visit(5, 4), visit(5, 6)],
    },
    'an unknown deploy goes live late, or never': {
      deployments: [deployed(1), failed(2, 'unknown'), deployed(3)],
      visits: [visit(3, 3.1), visit(2, 4), visit(3, 5)],
    },
    'a refused deploy was not made': { deployments: [deployed(1), failed(2, 'refused')] },
    'a certificate is renewed when it is due': {
      certificates: [issued(0), issued(10)],
      finalHosts: [final],
    },
    'a request that failed again and again is retried later': {
      finalHosts: [{ ...final, isActive: false, isCurrent: false, isRetried: true }],
    },
  }
  it.each(Object.entries(right))('%s', (_, part) => {
    expect(check(part)).toEqual([])
  })
})

describe('what is wrong', () => {
  const wrong: Record<string, [part: Partial<PublishingHistory>, found: RegExp]> = {
    'an accepted deploy is never built': [
      { deployments: [{ project, version: 1, number: 1, outcome: 'acknowledged' }] },
      /^lost: deploy 1 of site1 \(version 1\) was never built/,
    ],
    'a build fails': [{ deployments: [deployed(1, { state: 'failed' })] }, /^lost: .* is failed/],
    'two builds are mixed': [
      { deployments: [deployed(1, { siteFiles: 6 })] },
      /^wrong: .* has 6 of 3 files/,
    ],
    'a deploy is built again': [
      {
        deployments: [deployed(1)],
        finalDeploys: new Map([
          [deployKey(project, 1), { state: 'live', siteFiles, finishedAt: 'later' }],
        ]),
      },
      /^doubled: deploy 1 .* was built again/,
    ],
    'a number is given twice': [
      { deployments: [deployed(1), { ...deployed(2), number: 1 }] },
      /^lost: number 1 of site1 was given after 1/,
    ],
    'a visitor sees what was live before': [
      { deployments: [deployed(1), deployed(2)], visits: [visit(1, 2.1)] },
      /^stale: a visit of docs.site1.example \(site1\) at 2.10 s saw version 1 after 2/,
    ],
    'a visitor sees what another one no longer saw': [
      { deployments: [deployed(1), deployed(9)], visits: [visit(9, 3), visit(1, 4)] },
      /^stale: .* saw version 1 after 9/,
    ],
    'a refused deploy goes live': [
      { deployments: [deployed(1), failed(2, 'refused')], visits: [visit(2, 3)] },
      /^changed after a 503: .* saw version 2/,
    ],
    'nobody deployed it': [
      { deployments: [deployed(1)], visits: [visit(7, 3)] },
      /^wrong: .* saw version 7/,
    ],
    'a host gets two certificates': [
      { certificates: [issued(0), issued(2)] },
      /^doubled: docs.site1.example got another certificate after 120 s/,
    ],
    'a host is not served at the end': [
      { finalHosts: [{ ...final, isActive: false, isCurrent: false }] },
      /^stuck: docs.site1.example is not served over HTTPS: blocked/,
    ],
    'an issued certificate is not used': [
      { finalHosts: [{ ...final, isCurrent: false }] },
      /^lost: docs.site1.example is not served with the certificate that was issued last/,
    ],
  }
  it.each(Object.entries(wrong))('%s', (_, [part, found]) => {
    const violations = check(part)
    expect(violations).toHaveLength(1)
    expect(violations[0]).toMatch(found)
  })
})

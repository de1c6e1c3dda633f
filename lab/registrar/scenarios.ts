// Scenarios: typical states of customers' domains, applied with one click.

import {
  type LabTopology,
  otherPlatformHost,
  type Provider,
  platformHost,
} from '../network/topology.ts'
import type { EditedRecord } from './edited-record.ts'

export interface Scenario {
  id: string
  title: string
  /** The state of the zone, in a sentence. */
  about: string
  /** The records of the scenario for a name below the domain (`docs`, or `@`). */
  records(name: string, provider: Provider): EditedRecord[]
}

const record = (
  name: string,
  type: EditedRecord['type'],
  value: string,
  ttlSeconds = 300,
): EditedRecord => ({ name, type, value, ttlSeconds })
const target = `${platformHost}.`

export function scenariosFor(topology: LabTopology): Scenario[] {
  return [
    {
      id: 'right',
      title: 'Correct setup',
      about:
        'The name points to the store’s documentation: a CNAME, or an ALIAS for the domain itself.',
      records: (name, { hasAlias }) => {
        if (name !== '@') return [record(name, 'CNAME', target)]
        return [hasAlias ? record(name, 'ALIAS', target) : record(name, 'A', topology.server)]
      },
    },
    {
      id: 'live_site',
      title: 'A live site moves',
      about: `The name serves a site at the other platform, over HTTPS: a CNAME to ${otherPlatformHost}, cached for an hour.`,
      records: (name, { hasAlias }) => {
        if (name !== '@') return [record(name, 'CNAME', `${otherPlatformHost}.`, 3600)]
        return [
          hasAlias
            ? record(name, 'ALIAS', `${otherPlatformHost}.`, 3600)
            : record(name, 'A', topology.otherPlatform, 3600),
        ]
      },
    },
    {
      id: 'appended',
      title: 'Doubled name',
      about:
        'The record is at docs.mossy.example.mossy.example, because the name was entered in full.',
      records: (name) => [
        record(`${name === '@' ? '' : `${name}.`}{zone}.{zone}.`, 'CNAME', target),
      ],
    },
    {
      id: 'misspelt',
      title: 'Misspelled target',
      about: 'The CNAME points almost to the right host.',
      records: (name) => [record(name === '@' ? 'docs' : name, 'CNAME', target.replace('o', '0'))],
    },
    {
      id: 'old_address',
      title: 'An old A record',
      about: 'The name has an address of the other platform, and no CNAME.',
      records: (name) => [record(name, 'A', topology.otherPlatform)],
    },
    {
      id: 'proxy',
      title: 'Behind a proxy',
      about: 'The name has the proxy’s address; what the proxy does is set on the first page.',
      records: (name) => [record(name, 'A', topology.proxy)],
    },
    {
      id: 'chain',
      title: 'Through another name',
      about: 'The name points to a name that points to the right host.',
      records: (name) => [
        record(name === '@' ? 'docs' : name, 'CNAME', 'way.{zone}.'),
        record('way', 'CNAME', target),
      ],
    },
    {
      id: 'loop',
      title: 'A loop',
      about: 'Two names that point to each other.',
      records: (name) => [
        record(name === '@' ? 'docs' : name, 'CNAME', 'pool.{zone}.'),
        record('pool', 'CNAME', `${name === '@' ? 'docs' : name}.{zone}.`),
      ],
    },
    {
      id: 'wildcard',
      title: 'A wildcard',
      about: 'Every name below the domain points to the right host.',
      records: () => [record('*', 'CNAME', target)],
    },
    {
      id: 'caa_other',
      title: 'CAA for another authority',
      about: 'Only another authority may issue certificates.',
      records: () => [record('@', 'CAA', '0 issue "other-authority.example"')],
    },
    {
      id: 'caa_none',
      title: 'CAA forbids all',
      about: 'No authority may issue certificates.',
      records: () => [record('@', 'CAA', '0 issue ";"')],
    },
  ]
}

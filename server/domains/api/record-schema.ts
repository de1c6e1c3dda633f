// The API schemas of the DNS records that a domain needs, and of a certificate before DNS is switched.
import { type Static, Type } from 'typebox'
import { nullable } from '#kit/schema/described-schema.ts'
import { moment, words, ZoneLine } from '../checks/check-schema.ts'
import { preparationStates } from '../state/domain-state.ts'

export const RequestedRecord = Type.Object(
  {
    purpose: words(
      ['site', 'ownership', 'challenge'],
      'site: visitors follow it to us. ownership: proves who owns the domain. challenge: the certificate authority validates the domain by it, before DNS is switched.',
    ),
    type: words(['CNAME', 'ALIAS', 'TXT'], 'ALIAS, at some providers ANAME, for an apex.'),
    name: Type.String({ description: 'Relative to the zone; @ for the zone itself.' }),
    host: Type.String({ description: 'The full name.' }),
    value: Type.String(),
    ttlSeconds: Type.Integer(),
    state: words(
      ['required', 'found', 'later', 'obsolete'],
      'required: has to be set now. found: every name server has it. later: to be set when you switch. obsolete: it can be deleted.',
    ),
    servers: nullable(
      Type.Object({
        responding: Type.Integer({ description: 'Name servers that answered.' }),
        updated: Type.Integer({ description: 'Those of them that have the record.' }),
      }),
      'Of the last check; null where it did not look for the record.',
    ),
    setBy: nullable(moment, 'Until when it has to be set; null where there is no limit.'),
    replaces: nullable(
      Type.Object({
        value: Type.String(),
        because: words(
          ['expired', 'refused', 'renewal', 'canceled'],
          'expired: the order at the authority is open no longer. refused: the authority did not accept it.',
        ),
      }),
      'The value before it, which is not valid any more.',
    ),
    zoneLine: ZoneLine,
  },
  { $id: 'RequestedRecord', description: 'A DNS record that a domain needs.' },
)
export type RequestedRecord = Static<typeof RequestedRecord>

export const Preparation = Type.Object(
  {
    state: words(
      preparationStates,
      'requested: the certificate is issued before DNS points to us. switched: DNS points to us since.',
    ),
    since: nullable(moment, 'When it was requested, or DNS was switched.'),
    certificatesLeft: Type.Integer({
      minimum: 0,
      description: 'How many certificates are still requested before the switch.',
    }),
  },
  { description: 'Whether the certificate is issued before DNS is switched.' },
)

// The wire shapes of access to sites that only members may see.
import { type Static, Type } from 'typebox'

export const SiteVisit = Type.Object(
  {
    host: Type.String({ maxLength: 253, description: 'Host of the site, as the visitor has it.' }),
    state: Type.String({
      pattern: '^[0-9a-f]{64}$',
      'x-pattern-message': 'must be as the page of the site has given it',
      description: 'From the page of the site that asks for an account.',
    }),
  },
  { $id: 'SiteVisit', description: 'A site that a visitor wants to see with an account.' },
)

export const SiteAddress = Type.Object(
  {
    address: Type.String({
      format: 'uri',
      description:
        'Where the browser goes on. It works once, for a minute, in the browser that has asked.',
    }),
  },
  { $id: 'SiteAddress', description: 'The address that lets a visitor in.' },
)
export type SiteAddress = Static<typeof SiteAddress>

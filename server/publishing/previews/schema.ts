// The wire shapes of previews.
import { type Static, Type } from 'typebox'
import { passwordLength } from '#accounts/schema.ts'
import { listOf, nullable } from '#kit/schema/described-schema.ts'

export const Preview = Type.Object(
  {
    name: Type.String(),
    address: Type.String({
      format: 'uri',
      description: 'Its URL. No list shows it, and search engines do not index it.',
    }),
    deploy: nullable(
      Type.Integer({ minimum: 1 }),
      'Number of the deploy that it shows; null until one is built.',
    ),
    hasPassword: Type.Boolean({ description: 'Visitors have to enter a password.' }),
    createdAt: Type.String({ format: 'date-time' }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'When it ends. Each deploy to it starts its time anew.',
    }),
  },
  { $id: 'Preview', description: 'A deploy at an address of its own.' },
)
export type Preview = Static<typeof Preview>

export const Previews = listOf(Preview, 'Previews', 'Previews, last deployed first.')

export const PreviewSettings = Type.Object(
  {
    password: Type.Optional(
      nullable(
        Type.String(passwordLength),
        'What visitors have to enter, 12 to 256 characters; null for none. Unchanged if omitted. It signs out those who entered an earlier one.',
      ),
    ),
  },
  { $id: 'PreviewSettings', description: 'Settings of a preview.' },
)

// The wire shape of an outline: what the front page of a deploy shows, for a small picture of it.
import { type Static, Type } from 'typebox'
import { nullable } from '../../platform/schema/described-schema.ts'

export const maxTextLength = 240
export const maxItems = { header: 6, navigation: 16, contents: 8, blocks: 20 } as const
export const blockKinds = ['h1', 'h2', 'h3', 'text', 'item', 'code', 'image'] as const

const text = Type.String({ maxLength: maxTextLength })
const colour = nullable(Type.String({ pattern: '^#[0-9a-f]{6}$' }))

export const DeployOutline = Type.Object(
  {
    kind: nullable(
      Type.Enum(['ready', 'rendered'], { type: 'string' }),
      'As of the deploy: a rendered page has the theme of the program.',
    ),
    title: { ...text, description: 'The name of the site, or the title of the page.' },
    header: Type.Array(text, { maxItems: maxItems.header, description: 'Links of the header.' }),
    navigation: Type.Array(text, {
      maxItems: maxItems.navigation,
      description: 'Links of the navigation beside the content.',
    }),
    contents: Type.Array(text, {
      maxItems: maxItems.contents,
      description: 'Links of the table of contents.',
    }),
    blocks: Type.Array(
      Type.Object({ kind: Type.Enum([...blockKinds], { type: 'string' }), text }),
      { maxItems: maxItems.blocks, description: 'The content from the top.' },
    ),
    colours: Type.Object(
      { background: colour, text: colour, accent: colour },
      { description: 'As the page declares them; null where it does not say.' },
    ),
  },
  {
    $id: 'DeployOutline',
    description: 'What the front page of a deploy shows, as plain text. Empty until it is built.',
  },
)
export type DeployOutline = Static<typeof DeployOutline>

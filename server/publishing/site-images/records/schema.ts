// The wire shape of an uploaded image, which the settings of the site show, too.
import { type Static, Type } from 'typebox'
import { nullable } from '#kit/schema/described-schema.ts'
import type { SiteImageRow } from './image-rows.ts'

const pixels = nullable(Type.Integer({ minimum: 1 }), 'In pixels; null for SVG.')

export const SiteImage = Type.Object(
  {
    type: Type.Enum(['svg', 'png', 'webp', 'jpg', 'ico'], {
      type: 'string',
      description: 'Recognized by its content.',
    }),
    size: Type.Integer({ minimum: 1, description: 'In bytes.' }),
    width: pixels,
    height: pixels,
    hash: Type.String({ description: 'SHA-256 of the content, in lower-case hexadecimal.' }),
    uploadedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'SiteImage', description: 'An uploaded logo or favicon.' },
)
export type SiteImage = Static<typeof SiteImage>

export function wireImage({ name: _, uploadedAt, ...image }: SiteImageRow): SiteImage {
  return { ...image, uploadedAt: new Date(uploadedAt).toISOString() }
}

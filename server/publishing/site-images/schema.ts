// The wire shapes of uploaded images.
import { type Static, Type } from 'typebox'
import { nullable } from '#kit/schema/described-schema.ts'
import { SiteImage } from './records/schema.ts'

const deploy = nullable(
  Type.Integer({ minimum: 1 }),
  'Number of the deploy that applies it. Null if there is nothing to build.',
)

export const SavedSiteImage = Type.Object(
  { image: SiteImage, deploy },
  { $id: 'SavedSiteImage', description: 'The image, and the deploy that applies it.' },
)

export const RemovedSiteImage = Type.Object(
  { deploy },
  { $id: 'RemovedSiteImage', description: 'The deploy that applies the removal of an image.' },
)
export type RemovedSiteImage = Static<typeof RemovedSiteImage>

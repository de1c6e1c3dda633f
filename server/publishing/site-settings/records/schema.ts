// The wire shapes of the settings of a site and of its uploaded images. Settings are stored as they are on the wire.
import { type Static, type TSchema, Type } from 'typebox'
import { line, nullable, text, words } from '#kit/schema/described-schema.ts'
import { maxGroupTitleLength } from '#renderer/sources/navigation-setting.ts'
import type { imageTypes } from '#renderer/sources/settings.ts'

const optionalLine = (maxLength: number, description: string) =>
  nullable(line(maxLength), description)

const NavigationSection = Type.Object(
  {
    title: optionalLine(
      maxGroupTitleLength,
      'Title of the group. Null: its pages come first, each in its folder.',
    ),
    pages: Type.Array(line(500, 'Path of a Markdown file or of a folder.'), {
      ...{ minItems: 1, maxItems: 200 },
      description: 'In this order. The OpenAPI document stands for the API reference.',
    }),
  },
  {
    $id: 'NavigationSection',
    description: 'A part of the navigation of a site.',
    additionalProperties: false,
  },
)
const Navigation = (description?: string) =>
  Type.Array(NavigationSection, {
    maxItems: 50,
    ...(description !== undefined && { description }),
  })

/** The only list of the settings. Null: as if it were not set. */
export const SiteSettings = Type.Object(
  {
    title: optionalLine(100, 'Title of the site; by default the name of the project.'),
    description: optionalLine(300, 'One sentence about the site.'),
    colour: nullable(
      Type.String({
        pattern: '^#(?:[0-9A-Fa-f]{3}){1,2}$',
        'x-pattern-message': 'must be a colour as #rgb or #rrggbb, such as #1c5f45',
      }),
      'Colour of links and marks, such as #1c5f45. It must be readable as text.',
    ),
    logo: optionalLine(
      500,
      'Path of an image in the deploy: SVG, PNG, WebP or JPEG. Ignored if there is no such file.',
    ),
    favicon: optionalLine(
      500,
      'Path of an icon in the deploy: SVG, PNG or ICO. Ignored if there is no such file.',
    ),
    navigation: Navigation('What comes first in the navigation, in this order. The rest follows.'),
    redirects: text(100_000, 'Rules as in `_redirects`, one in each line; empty for none.'),
  },
  {
    $id: 'SiteSettings',
    description: 'Settings of the site of a project. Other fields are refused.',
    additionalProperties: false,
  },
)
export type SiteSettings = Static<typeof SiteSettings>

export type ImageName = keyof typeof imageTypes
export type ImageType = keyof typeof mediaTypes

export const mediaTypes = {
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  ico: 'image/x-icon',
} as const

const pixels = nullable(Type.Integer({ minimum: 1 }), 'In pixels; null for SVG.')

const SiteImage = Type.Object(
  {
    type: words(Object.keys(mediaTypes) as ImageType[], 'Recognized by its content.'),
    size: Type.Integer({ minimum: 1, description: 'In bytes.' }),
    width: pixels,
    height: pixels,
    hash: Type.String({ description: 'SHA-256 of the content, in lower-case hexadecimal.' }),
    uploadedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'SiteImage', description: 'An uploaded logo or favicon.' },
)
export type SiteImage = Static<typeof SiteImage>

const setByFile = <Value extends TSchema>(value: Value) =>
  nullable(value, 'Null: not set by a file.')
const uploaded = nullable(SiteImage, 'Null: none was uploaded.')

export const SettingsOfFiles = Type.Object(
  {
    title: setByFile(Type.String()),
    description: setByFile(Type.String()),
    colour: setByFile(Type.String({ description: 'In the light theme.' })),
    darkColour: setByFile(Type.String({ description: 'In the dark theme.' })),
    logo: setByFile(Type.String()),
    favicon: setByFile(Type.String()),
    navigation: setByFile(Navigation()),
    redirects: setByFile(Type.String()),
  },
  { description: 'What the files of the deploy set, which is used instead.' },
)
export type SettingsOfFiles = Static<typeof SettingsOfFiles>

export const SiteSettingsState = Type.Object(
  {
    settings: SiteSettings,
    images: Type.Object(
      { logo: uploaded, favicon: uploaded },
      { description: 'Uploaded images, which are used instead of the paths in the settings.' },
    ),
    live: nullable(
      Type.Object({
        number: Type.Integer({ minimum: 1 }),
        kind: words(
          ['ready', 'rendered'],
          'ready: a finished site, of which only the redirects are applied.',
        ),
        files: SettingsOfFiles,
      }),
      'The live deploy; null before the first one.',
    ),
  },
  { $id: 'SiteSettingsState', description: 'The settings of a site, and which ones are used.' },
)

const deploy = nullable(
  Type.Integer({ minimum: 1 }),
  'Number of the deploy that applies it: a new build of the live one, or one that was waiting. Null if there is nothing to build.',
)
export const SavedSiteSettings = Type.Object(
  {
    settings: SiteSettings,
    deploy,
  },
  { $id: 'SavedSiteSettings', description: 'The settings, and the deploy that applies them.' },
)

export const SavedSiteImage = Type.Object(
  { image: SiteImage, deploy },
  { $id: 'SavedSiteImage', description: 'The image, and the deploy that applies it.' },
)
export const RemovedSiteImage = Type.Object(
  { deploy },
  { $id: 'RemovedSiteImage', description: 'The deploy that applies the removal of an image.' },
)

// The wire shapes of the settings of a site.
import { type Static, type TSchema, Type } from 'typebox'
import { nullable } from '#kit/schema/described-schema.ts'
import { maxGroupTitleLength } from '#renderer/sources/navigation-setting.ts'
import { SiteImage } from '../../site-images/records/schema.ts'

const text = (maxLength: number, description: string) => ({
  minLength: 1,
  maxLength,
  pattern: '^\\P{Cc}*\\S\\P{Cc}*$',
  'x-pattern-message': 'must have a visible character and no control characters',
  description,
})

/** Sections, and pages of each of them. */
const maxNavigation = { sections: 50, pages: 200 }
const maxRedirectsLength = 100_000

const NavigationSection = Type.Object(
  {
    title: nullable(
      Type.String(text(maxGroupTitleLength, '')),
      'Title of the group. Null: its pages come first, each in its folder.',
    ),
    pages: Type.Array(Type.String(text(500, 'Path of a Markdown file or of a folder.')), {
      minItems: 1,
      maxItems: maxNavigation.pages,
      description: 'In this order. The OpenAPI document stands for the API reference.',
    }),
  },
  {
    $id: 'NavigationSection',
    description: 'A part of the navigation of a site.',
    additionalProperties: false,
  },
)
const Navigation = Type.Array(NavigationSection, { maxItems: maxNavigation.sections })

/** Null: as if it were not set. */
export const SiteSettings = Type.Object(
  {
    title: nullable(
      Type.String(text(100, '')),
      'Title of the site; by default the name of the project.',
    ),
    description: nullable(Type.String(text(300, '')), 'One sentence about the site.'),
    colour: nullable(
      Type.String({
        pattern: '^#(?:[0-9A-Fa-f]{3}){1,2}$',
        'x-pattern-message': 'must be a colour as #rgb or #rrggbb, such as #1c5f45',
      }),
      'Colour of links and marks, such as #1c5f45. It must be readable as text.',
    ),
    logo: nullable(
      Type.String(text(500, '')),
      'Path of an image in the deploy: SVG, PNG, WebP or JPEG. Ignored if there is no such file.',
    ),
    favicon: nullable(
      Type.String(text(500, '')),
      'Path of an icon in the deploy: SVG, PNG or ICO. Ignored if there is no such file.',
    ),
    navigation: Type.Array(NavigationSection, {
      maxItems: maxNavigation.sections,
      description: 'What comes first in the navigation, in this order. The rest follows.',
    }),
    redirects: Type.String({
      maxLength: maxRedirectsLength,
      description: 'Rules as in `_redirects`, one in each line; empty for none.',
    }),
  },
  {
    $id: 'SiteSettings',
    description: 'Settings of the site of a project. Other fields are refused.',
    additionalProperties: false,
  },
)
export type SiteSettings = Static<typeof SiteSettings>

export const settingNames = [
  'title',
  'description',
  'colour',
  'logo',
  'favicon',
  'navigation',
  'redirects',
] as const

const setByFile = <Value extends TSchema>(value: Value) =>
  nullable(value, 'Null: not set by a file.')

export const SiteSettingsState = Type.Object(
  {
    settings: SiteSettings,
    images: Type.Object(
      {
        logo: nullable(SiteImage, 'Null: none was uploaded.'),
        favicon: nullable(SiteImage, 'Null: none was uploaded.'),
      },
      { description: 'Uploaded images, which are used instead of the paths in the settings.' },
    ),
    live: nullable(
      Type.Object({
        number: Type.Integer({ minimum: 1 }),
        kind: Type.Enum(['ready', 'rendered'], {
          type: 'string',
          description: 'ready: a finished site, of which only the redirects are applied.',
        }),
        files: Type.Object(
          {
            title: setByFile(Type.String()),
            description: setByFile(Type.String()),
            colour: setByFile(Type.String({ description: 'In the light theme.' })),
            darkColour: setByFile(Type.String({ description: 'In the dark theme.' })),
            logo: setByFile(Type.String()),
            favicon: setByFile(Type.String()),
            navigation: setByFile(Navigation),
            redirects: setByFile(Type.String()),
          },
          { description: 'What the files of the deploy set, which is used instead.' },
        ),
      }),
      'The live deploy; null before the first one.',
    ),
  },
  { $id: 'SiteSettingsState', description: 'The settings of a site, and which ones are used.' },
)
export type SiteSettingsState = Static<typeof SiteSettingsState>

export const SavedSiteSettings = Type.Object(
  {
    settings: SiteSettings,
    deploy: nullable(
      Type.Integer({ minimum: 1 }),
      'Number of the deploy that applies them: a new build of the live one, or one that was waiting. Null if there is nothing to build.',
    ),
  },
  { $id: 'SavedSiteSettings', description: 'The settings, and the deploy that applies them.' },
)

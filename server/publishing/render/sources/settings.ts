// The settings of a site: `site.yaml` (or `site.yml`) at its root, all of them optional.
//   title: My documentation     description: One sentence about it.     language: en
//   links: [{ title: Source, url: https://example.com }]   shown in the header of every page
//   colour: "#1c5f45"     logo: images/logo.svg     favicon: images/icon.png
//   tryIt: { server: https://staging.example.com/v1 }     one of the servers of the OpenAPI document
import { DeployFailure } from '../../site-files/deploy-failure.ts'
import { readColour, type ThemeColour } from './colour.ts'
import { decodeSource } from './decode-source.ts'
import { readTryIt, type TryItServer } from './try-it-setting.ts'
import { readYamlFields, type YamlField } from './yaml-fields.ts'

export interface SiteSettings {
  title: string
  description: string | undefined
  /** A language tag (BCP 47). */
  language: string
  links: SiteLink[]
  /** Undefined: that of the theme. */
  colour: ThemeColour | undefined
  /** Path of a published file, as is `favicon`. */
  logo: string | undefined
  favicon: string | undefined
  /** With its place, for errors that only the document shows. Undefined: readers cannot send requests. */
  tryIt: (TryItServer & { file: string; line: number }) | undefined
}

export interface SiteLink {
  title: string
  /** An http or https address, or one that is relative to the root of the site. */
  url: string
}

const settingsFiles = ['site.yaml', 'site.yml']
const known = ['title', 'description', 'language', 'links', 'colour', 'logo', 'favicon', 'tryIt']
const imageTypes = { logo: ['svg', 'png', 'webp', 'jpg', 'jpeg'], favicon: ['svg', 'png', 'ico'] }
const languageTag = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i

/** The settings, with the path of their file if there is one. Throws DeployFailure with the line. */
export function readSettings(
  sources: ReadonlyMap<string, Uint8Array>,
  title: string,
  assets: ReadonlySet<string>,
): { settings: SiteSettings; file: string | undefined } {
  const images = { logo: undefined, favicon: undefined }
  const none = { description: undefined, colour: undefined, tryIt: undefined, ...images }
  const settings: SiteSettings = { title, ...none, language: 'en', links: [] }
  const file = settingsFiles.find((path) => sources.has(path))
  const bytes = file === undefined ? undefined : sources.get(file)
  if (file === undefined || bytes === undefined) return { settings, file: undefined }
  const fields = readYamlFields(decodeSource(bytes, file), { file, firstLine: 1 })
  if (fields === undefined) {
    const message = `${file} must contain fields, such as "title: My documentation".`
    throw new DeployFailure(message, { file, line: 1 })
  }
  for (const [name, field] of fields) apply(settings, name, field, file, assets)
  return { settings, file }
}

function apply(
  settings: SiteSettings,
  name: string,
  field: YamlField,
  file: string,
  assets: ReadonlySet<string>,
): void {
  const { value, line } = field
  const refuse = (message: string): never => {
    throw new DeployFailure(message, { file, line })
  }
  switch (name) {
    case 'title':
    case 'description':
      if (typeof value !== 'string' || value.trim() === '') refuse(`${name} must be text.`)
      settings[name] = String(value).trim()
      return
    case 'language':
      if (typeof value !== 'string' || !languageTag.test(value))
        refuse('language must be a language tag, such as en or pt-BR.')
      settings.language = String(value)
      return
    case 'links':
      settings.links = Array.isArray(value)
        ? value.map((link: unknown) => readLink(link) ?? refuse(linkMessage))
        : refuse(linkMessage)
      return
    case 'colour': {
      const read = readColour(value)
      settings.colour = typeof read === 'string' ? refuse(read) : read
      return
    }
    case 'tryIt': {
      const read = readTryIt(value)
      settings.tryIt = typeof read === 'string' ? refuse(read) : { ...read, file, line }
      return
    }
    case 'logo':
    case 'favicon': {
      const path = typeof value === 'string' ? value.replace(/^\.?\//, '') : ''
      const [types, extension] = [imageTypes[name], path.split('.').at(-1)?.toLowerCase() ?? '']
      if (!types.includes(extension))
        refuse(`${name} must be the path of an image in the folder: ${types.join(', ')}.`)
      if (!assets.has(path))
        refuse(`${name}: there is no file ${path.slice(0, 200)}. Add it, or correct the path.`)
      settings[name] = path
      return
    }
    default:
      refuse(`There is no setting ${JSON.stringify(name)}. Those there are: ${known.join(', ')}.`)
  }
}

const linkMessage =
  'links must be a list, each with a title and a url that is an http or https address or a path of the site.'

function readLink(link: unknown): SiteLink | undefined {
  if (typeof link !== 'object' || link === null) return undefined
  const { title, url, ...others } = link as Record<string, unknown>
  if (typeof title !== 'string' || title.trim() === '' || typeof url !== 'string') return undefined
  if (Object.keys(others).length > 0) return undefined
  const hasScheme = /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(url)
  if (hasScheme && !/^https?:\/\/[^/]/i.test(url)) return undefined
  return { title: title.trim(), url: url.trim() }
}

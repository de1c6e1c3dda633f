// The settings of a site: `site.yaml` (or `site.yml`) at its root, all of them optional.
//   title: My documentation     description: One sentence about it.     language: en
//   links: [{ title: Source, url: https://example.com }]   shown in the header of every page
//   colour: "#1c5f45"     logo: images/logo.svg     favicon: images/icon.png
//   navigation: [guides/first.md, { title: Guides, pages: [guides/] }]   what comes first, and groups
//   tryIt: { server: https://staging.example.com/v1 }     one of the servers of the OpenAPI document
// Without a file, or a field in it, what is chosen in the project settings applies.
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { readColour, type ThemeColour } from './colour.ts'
import { decodeSource } from './decode-source.ts'
import { chosenNavigation, type NavigationSection, readNavigation } from './navigation-setting.ts'
import type { ChosenSettings, RenderInput } from './render-input.ts'
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
  navigation: NavigationSection[]
  /** With its place, for errors that only the document shows. Undefined: readers cannot send requests. */
  tryIt: (TryItServer & { file: string; line: number }) | undefined
}

interface SiteLink {
  title: string
  /** An http or https address, or one that is relative to the root of the site. */
  url: string
}

export const settingsFiles = ['site.yaml', 'site.yml']
const known = [
  ...['title', 'description', 'language', 'links', 'colour', 'logo', 'favicon'],
  ...['navigation', 'tryIt'],
]
export const imageTypes = {
  logo: ['svg', 'png', 'webp', 'jpg', 'jpeg'],
  favicon: ['svg', 'png', 'ico'],
}
const languageTag = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i

/** The settings, with the path of their file if there is one. Throws DeployFailure with the line. */
export function readSettings(
  sources: ReadonlyMap<string, Uint8Array>,
  title: string,
  assets: ReadonlySet<string>,
  chosen?: ChosenSettings,
  images?: RenderInput['images'],
): { settings: SiteSettings; file: string | undefined } {
  const colour = readColour(chosen?.colour)
  const settings: SiteSettings = {
    title: chosen?.title ?? title,
    description: chosen?.description ?? undefined,
    colour: typeof colour === 'string' ? undefined : colour,
    navigation: chosenNavigation(chosen?.navigation ?? []),
    logo: images?.logo ?? chosenImage('logo', chosen?.logo, assets),
    favicon: images?.favicon ?? chosenImage('favicon', chosen?.favicon, assets),
    ...{ language: 'en', links: [], tryIt: undefined },
  }
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
      const problem = findImageProblem(name, value)
      if (problem !== undefined) refuse(problem)
      const path = imagePath(String(value))
      if (!assets.has(path))
        refuse(`${name}: there is no file ${path.slice(0, 200)}. Add it, or correct the path.`)
      settings[name] = path
      return
    }
    case 'navigation':
      settings.navigation = readNavigation(field, file)
      return
    default:
      refuse(`There is no setting ${JSON.stringify(name)}. Those there are: ${known.join(', ')}.`)
  }
}

const imagePath = (text: string): string => text.replace(/^\.?\//, '')

/** Whether it can be the path of a file of the deploy is not checked. */
export function findImageProblem(name: 'logo' | 'favicon', value: unknown): string | undefined {
  const types = imageTypes[name]
  const extension = typeof value === 'string' ? value.split('.').at(-1)?.toLowerCase() : undefined
  if (extension !== undefined && types.includes(extension)) return undefined
  return `${name} must be the path of an image in the folder: ${types.join(', ')}.`
}

function chosenImage(
  name: 'logo' | 'favicon',
  chosen: string | null | undefined,
  assets: ReadonlySet<string>,
): string | undefined {
  if (typeof chosen !== 'string' || findImageProblem(name, chosen) !== undefined) return undefined
  const path = imagePath(chosen)
  return assets.has(path) ? path : undefined
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

// The settings of a site from the configuration of its generator. The names of the fields differ from generator to generator,
// and are tried one after the other: none means something else in another. All values come from outside, and may be anything.
import { joinPaths } from '../sources/addresses.ts'
import { toReadableColour } from '../sources/colour.ts'
import { type Generator, type Mount, placeOf } from '../sources/generator.ts'
import { firstText, inside, listOf, recordOf, textOf } from '../sources/plain-values.ts'
import { editLink, imageTypes, isLanguageTag, type SiteFolder } from '../sources/settings.ts'
import { decoded, definedOf, type GeneratorFolder, isWeb } from './generator-folder.ts'

const names = {
  title: ['title', 'site_name', 'html_title', 'project', 'name'],
  description: ['description', 'tagline', 'site_description'],
  language: ['lang', 'language', 'locale', 'languageCode', 'defaultLocale'],
  colour: ['colour', 'themeColor'],
  logo: ['logo', 'html_logo'],
  favicon: ['favicon', 'favicon_ico', 'html_favicon'],
  base: ['base', 'baseUrl', 'baseURL', 'baseurl', 'site_url', 'site-url'],
  origin: ['url', 'site', 'site_url', 'baseURL', 'baseurl'],
}

/** What is found in the folder of a generator. Paths are those of the deploy. */
export interface Found
  extends Partial<Pick<Generator, 'navigation' | 'folders' | 'segment' | 'slug'>> {
  mounts: Mount[]
  site: SiteParts
  /** Sources that are no pages. */
  notPages?: string[]
  /** In one of their forms. */
  redirects?: unknown
}

/** What the configuration says of a site as a whole. */
interface SiteParts {
  /** The parts of it with settings, those that go before others first. */
  parts?: unknown[]
  /** The folders of the deploy that paths of images start from. */
  images?: string[]
  /** Links of the header; those in a menu of it are left out. */
  links?: unknown
  /** Where a page can be edited: a template, and the folder that its paths start from. A function is no template. */
  edit?: [template: string | undefined, folder: string]
  /** What is said of each language, by the name of its folder, and the one that has none. */
  languages?: [named: unknown, main: string]
  versions?: SiteFolder[]
}

export function readSite(
  { has }: GeneratorFolder,
  {
    edit: [template = '', folder] = ['', ''],
    images = [],
    languages: [named, main] = [{}, ''],
    links,
    parts = [],
    versions = [],
  }: SiteParts,
  mounts: readonly Mount[],
): Pick<Generator, 'base' | 'origin' | 'settings'> {
  const valuesOf = (name: keyof typeof names) =>
    parts.flatMap((part) => names[name].map((each) => inside(part, each)))
  const textsOf = (name: keyof typeof names) =>
    valuesOf(name).flatMap((value) => textOf(value) ?? [])
  const imageOf = (name: keyof typeof imageTypes) => {
    const paths = valuesOf(name).flatMap(
      (value) => textOf(value) ?? firstText(value, 'src', 'light') ?? [],
    )
    const found = paths
      .flatMap((path) => images.map((folder) => joinPaths(folder, path)))
      .find(
        (path) => has(path) && imageTypes[name].includes(path.replace(/.*\./, '').toLowerCase()),
      )
    return found === undefined ? undefined : placeOf(found, { mounts })?.path
  }
  const shown = linksOf(links)
  const languages = languagesOf(named, main)
  const path = URL.parse(textsOf('base')[0] ?? '', 'https://site.invalid')?.pathname ?? ''
  return {
    base: path.replace(/^\/+/, '').replace(/([^/])\/*$/, '$1/'),
    origin: URL.parse(textsOf('origin').find(isWeb) ?? '')?.origin,
    settings: definedOf({
      title: textsOf('title')[0],
      description: textsOf('description')[0],
      language: textsOf('language')
        .map((tag) => tag.replaceAll('_', '-'))
        .find(isLanguageTag),
      languages: languages.length > 1 ? languages : undefined,
      versions: versions.length > 1 ? versions : undefined,
      colour: toReadableColour(textsOf('colour')[0]),
      logo: imageOf('logo'),
      favicon: imageOf('favicon'),
      links: shown.length > 0 ? shown : undefined,
      edit: editLink(template, folder),
    }),
  }
}

/** The main one first. */
function languagesOf(named: unknown, main: string): SiteFolder[] {
  const all = Object.entries(recordOf(named)).map(([folder, each]) => ({
    name: (firstText(each, ...names.language, 'htmlLang') ?? folder).replaceAll('_', '-'),
    folder: folder === main ? '' : `${folder}/`,
    of: '',
  }))
  const known = all.filter(({ name }) => isLanguageTag(name))
  return known.sort((a, b) => Number(a.folder !== '') - Number(b.folder !== ''))
}

function linksOf(items: unknown) {
  return listOf(items).flatMap((item) => {
    const title = firstText(item, 'label', 'text', 'name')
    const address = firstText(item, 'href', 'to', 'link', 'pageRef', 'url') ?? ''
    const url = /^(?:[a-z]+:|\/)/i.test(address) ? address : `/${address}`
    return title === undefined || address === '' || !isAddress(url) ? [] : [{ title, url }]
  })
}

/** Redirects from a list of `{ from, to }` or `{ source, destination }`, or from `{ from: to }`. */
export function redirectsOf(value: unknown): Generator['redirects'] {
  const pairs = Object.entries(recordOf(value)).map(([from, to]) => ({ ...recordOf(to), from, to }))
  return [...listOf(value), ...pairs].flatMap((rule) => {
    const { destination, from, source } = recordOf(rule)
    // `:slug*` is the rest of a path.
    const to = addressOf(firstText(rule, 'to') ?? textOf(destination) ?? '#').replace(
      /:\w+\*/,
      ':splat',
    )
    return [from ?? source]
      .flat()
      .map((old) => ({ from: addressOf(textOf(old) ?? '#').replace(/:\w+\*$/, '*'), to }))
      .filter(({ from }) => /^\/[^?#[\]]*$/.test(from) && isAddress(to) && from !== to)
  })
}

/** Pages may be named by their files. */
function addressOf(path: string): string {
  const page = path.replace(/(?:(?:^|\/)(?:index|README))?\.(?:md|html)(?=#|$)/, '')
  return /^[a-z][\w+.-]*:/i.test(path) ? path : encodeURI(decoded(`/${page.replace(/^\/+/, '')}`))
}

/** A path of the site, or an http or https address. */
const isAddress = (text: string): boolean =>
  /^(?:\/(?![/\\#])|https?:\/\/[^/])[^\s\p{Cc}]*$/iu.test(text)

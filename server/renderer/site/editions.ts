// The editions of a site: each is its pages in one language and version. The folders of a page say which one it is in, and what
// remains of its path is its key, by which the same page is found in the others: `de/guide/x.html` and `v1/de/guide/x.html`
// have the key `guide/x.html`. A site without languages and versions has one edition, where each path is its own key. Pages
// outside of all folders belong to the first language and to the newest version.
import { DeployFailure } from '../site-files/site-file.ts'
import { hrefOf } from '../sources/addresses.ts'
import { isLanguage, tagOf } from '../sources/language-names.ts'
import { capital } from '../sources/plain-text.ts'
import type { SourcePage } from '../sources/read-pages.ts'
import type { SiteFolder, SiteSettings } from '../sources/settings.ts'

export interface Edition {
  /** A language tag (BCP 47). */
  language: string
  version: string | undefined
  /** The paths of its pages by key. */
  pages: Map<string, string>
  /** The key of its first page. */
  start: string
}

/** An entry of a switch: the same page, or the start page of an edition that does not have it. */
export interface Choice {
  name: string
  path: string
  isSame: boolean
  isCurrent: boolean
}

export type Editions = ReturnType<typeof createEditions>

/** `paths`: of all pages. */
export function createEditions(
  { language, languages = [], versions }: Pick<SiteSettings, 'language' | 'languages' | 'versions'>,
  paths: Iterable<string>,
) {
  const mainLanguage = languages[0]?.name ?? language
  const newest = versions[0]?.name
  // The longest first, since some are in others.
  const [inLanguages = [], inVersions = []] = [languages, versions].map((all) =>
    all.filter(({ folder }) => folder !== '').sort((a, b) => b.folder.length - a.folder.length),
  )
  const known = new Map<string, Edition>()
  const find = (language: string, version: string | undefined) =>
    known.get(`${language} ${version}`)

  function locate(path: string) {
    let key = path
    const take = (folders: readonly SiteFolder[]) => {
      const found = folders.find(({ folder }) => key.startsWith(folder))
      if (found) key = found.of + key.slice(found.folder.length)
      return found
    }
    const outer = take(inLanguages)
    const version = take(inVersions)
    const inner = outer ?? take(inLanguages)
    const edition = editionAt(inner?.name ?? mainLanguage, version)
    return { key, edition, depth: [inner, version].filter(Boolean).length }
  }

  function editionAt(language: string, place: SiteFolder | undefined): Edition {
    const version = place?.name ?? newest
    const start = `${place?.of ?? ''}index.html`
    const create = () => ({ language, version, pages: new Map<string, string>(), start })
    return known.getOrInsertComputed(`${language} ${version}`, create)
  }

  const { edition: main } = locate('')
  for (const path of paths) {
    const { depth, edition, key } = locate(path)
    const other = edition.pages.get(key)
    if (other === undefined || locate(other).depth <= depth) edition.pages.set(key, path)
  }
  const all = [...known.values()]

  const homeOf = ({ pages, start }: Edition): string =>
    pages.get(start) ??
    pages.get(start.replace(/\/index\.html$/, '.html')) ??
    pages.values().next().value ??
    'index.html'

  return {
    all,
    main,
    homeOf,
    locate,
    /** What leads from a page to the other editions. */
    around(path: string) {
      const { edition, key } = locate(path)
      const { language, version } = edition
      const choose = (name: string, other: Edition | undefined): Choice[] => {
        if (!other) return []
        const same = other.pages.get(key)
        const isSame = same !== undefined
        return [{ name, path: same ?? homeOf(other), isSame, isCurrent: other === edition }]
      }
      const inLanguages = languages.flatMap(({ name }) =>
        choose(name, find(name, version) ?? find(name, newest)),
      )
      const inVersions = versions.flatMap(({ name }) =>
        choose(name, find(language, name) ?? find(mainLanguage, name)),
      )
      const newer = (name: string) => version !== newest && find(name, newest)?.pages.get(key)
      const same = inLanguages.filter(
        ({ isSame, name }) => isSame && find(name, version) && !newer(name),
      )
      const [first] = same
      const isOne = same.length > 1 && same.some((each) => each.path === path)
      return {
        edition,
        home: homeOf(edition),
        languages: inLanguages,
        versions: inVersions,
        /** The same page of this version in each language that has it, if there are several; the first one twice. */
        alternates: first && isOne ? [...same, { ...first, name: 'x-default' }] : [],
        /** The same page of the newest version in its language, if this one is not of it. */
        canonical: newer(language) || undefined,
        /** Of an old version, and of one that is being written. */
        newest: version === newest ? undefined : inVersions[0],
      }
    },
  }
}

/** What its speakers call a language, with its country if `others` are of another one: Deutsch, English (UK). */
export function nameOfLanguage(tag: string, others: readonly string[] = [tag]): string {
  const { language, script } = new Intl.Locale(tag)
  const isOnly = others.filter((each) => new Intl.Locale(each).language === language).length < 2
  const shown = isOnly ? [language, script].filter(Boolean).join('-') : tag
  return capital(new Intl.DisplayNames([tag], { type: 'language' }).of(shown) ?? tag)
}

/** Deutsch 1.0 */
export const nameOfEdition = ({ language, version = '' }: Edition): string =>
  `${nameOfLanguage(language)} ${version}`.trim()

/** The first one is at the root if its folder has no pages. Throws DeployFailure for others of the settings file. */
export function placeFolders(
  { languages = [], versions }: Pick<SiteSettings, 'languages' | 'versions'>,
  paths: ReadonlySet<string>,
  file: string | undefined,
): void {
  const all = [...languages, ...versions]
  // Those of languages can be in those of versions, or the reverse.
  const outer = ['', ...all.map(({ folder }) => folder)]
  for (const each of all) {
    const { folder, line } = each
    const isThere = (path: string) => outer.some((at) => path.startsWith(at + folder))
    if (line === undefined || paths.values().some(isThere)) continue
    const message = `The folder ${folder} has no pages. Correct its path, or remove it.`
    if (![languages[0], versions[0]].includes(each))
      throw new DeployFailure(message, { file, line })
    each.folder = ''
  }
}

const primaryOf = (tag: string): string => tag.toLowerCase().replace(/[-_].*/, '')

/**
 * The languages of top folders with translations of the same pages; none of fewer than `fewest`. A third of the pages of each
 * are in the site's own language, too, or in others, and some have other titles there: `it/` and `hr/` may be departments.
 * `titles`: by path.
 */
function languageFolders(
  titles: ReadonlyMap<string, string>,
  language: string,
  fewest: number,
): SiteFolder[] {
  const tops = new Set(titles.keys().map((path) => path.slice(0, Math.max(0, path.indexOf('/')))))
  const folders = [...tops]
    .filter(isLanguage)
    .map((top) => ({ name: tagOf(top), folder: `${top}/`, of: '' }))
  const isOwn = ({ name }: SiteFolder) => primaryOf(name) === primaryOf(language)
  const own = folders.find(isOwn) ?? { name: language, folder: '', of: '' }
  const languages = [own, ...folders.filter((each) => each !== own)]
  const { all, main } = createEditions({ language, languages, versions: [] }, titles.keys())
  const hasOthers = (key: string) =>
    new Set(all.flatMap(({ pages }) => titles.get(pages.get(key) ?? '') ?? [])).size > 1
  const found = all.filter((edition) => {
    const keys = [...edition.pages.keys()].filter((key) => key !== 'index.html')
    const shared = keys.filter((key) => main.pages.has(key) || hasOthers(key))
    return edition !== main && shared.length * 3 >= keys.length && shared.some(hasOthers)
  })
  const isMain =
    own.folder !== '' ||
    found.some(({ pages }) =>
      pages.keys().some((key) => key !== 'index.html' && main.pages.has(key)),
    )
  const names = new Set(found.map((edition) => edition.language))
  const isEnough = names.size >= (own.folder === '' ? fewest : 1)
  return isEnough ? languages.filter((each) => (each === own ? isMain : names.has(each.name))) : []
}

/**
 * Sets the languages, if they are not set. Pages whose files are named by one of them, such as `x.de.md` beside `x.md`, are in
 * its folder then, at the address of the same page: `de/x.html`. Those of the main language are beside the folders, and `known`
 * by their names without it. Returns the folders by source.
 */
export function placeTranslations(
  pages: readonly SourcePage[],
  settings: Pick<SiteSettings, 'language' | 'languages'>,
  known: Map<string, string>,
): Map<string, string> {
  const { language } = settings
  // `x.mac.md`, `x.new.md` and `x.ts.md` are rarely in Macedonian, Newari and Tsonga.
  const isUsual = (name: string) => primaryOf(name).length === 2 && !/^(?:sh|ts)$/i.test(name)
  const isSet = (name: string) => settings.languages?.some((each) => each.name === tagOf(name))
  const named = pages.flatMap((page) => {
    const [, stem = '', name = '', end = ''] = /^(.+)\.([\w-]+)(\.\w+)$/.exec(page.source) ?? []
    return isLanguage(name) && (isUsual(name) || isSet(name)) ? [{ page, stem, name, end }] : []
  })
  const [main] = [tagOf, primaryOf].flatMap((form) =>
    named.filter(({ name }) => form(name) === form(language)),
  )
  const rank = ({ name }: { name: string }) => (name === main?.name ? 0 : 1)
  const taken = new Set(pages.map(({ path }) => path))
  const keys = new Map(pages.map(({ path, source }) => [source.replace(/\.\w+$/, ''), path]))
  const index = /(?<=^|\/)(?:_?index|readme)(?=\.html$)/i
  const places = named
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((each) => {
      const { name, page, stem } = each
      const own = page.path.replace(/\.[\w-]+(?=\.html$)/, '').replace(index, 'index')
      const folder = rank(each) === 0 ? '' : `${name}/`
      const path = folder + keys.getOrInsert(stem, own)
      return taken.size < taken.add(path).size ? [{ ...each, folder, path }] : []
    })
  const paths = new Map(places.map(({ page, path }) => [page, path]))
  const titles = new Map(pages.map((page) => [paths.get(page) ?? page.path, page.title]))
  settings.languages ??= languageFolders(titles, language, places.length > 0 ? 1 : 2)
  const folders = new Set(settings.languages.flatMap(({ folder }) => ['', folder]))
  const moved = places.filter(({ folder }) => folders.has(folder))
  for (const { end, folder, page, path, stem } of moved) {
    page.aliases.push(hrefOf(page.path))
    page.path = path
    if (folder === '') for (const name of [stem, stem + end]) known.set(name, path)
  }
  return new Map(moved.map(({ folder, page }) => [page.source, folder]))
}

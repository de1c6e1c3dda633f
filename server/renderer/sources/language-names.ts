// How folders and files are named after the languages of their pages: `de/`, `pt_BR/`, `x.zh-CN.md`.

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** Countries that are used for their languages. */
const countries: Partial<Record<string, string>> = { cn: 'zh', jp: 'ja', kr: 'ko', tw: 'zh-TW' }

/** The language tag (BCP 47). */
export const tagOf = (name: string): string => countries[name] ?? name.replace('_', '-')

export const isLanguage = (name: string): boolean =>
  /^[a-z]{2,3}(?:[-_](?:[a-z]{2}|[a-z]{4}))?$/i.test(name) && names.of(tagOf(name)) !== undefined

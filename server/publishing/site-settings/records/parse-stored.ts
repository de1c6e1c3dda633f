// Settings as they are stored: JSON, in which a field that is missing or of another type is as if it were not set.
import type { SiteSettings } from './schema.ts'

export function parseStored(json: string | undefined): SiteSettings {
  const stored: unknown = json === undefined ? {} : JSON.parse(json)
  const fields = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<
    string,
    unknown
  >
  const text = (name: string): string | null => {
    const value = fields[name]
    return typeof value === 'string' ? value : null
  }
  const { navigation } = fields
  return {
    title: text('title'),
    description: text('description'),
    colour: text('colour'),
    logo: text('logo'),
    favicon: text('favicon'),
    navigation: Array.isArray(navigation) ? navigation.filter(isSection) : [],
    redirects: text('redirects') ?? '',
  }
}

function isSection(value: unknown): value is SiteSettings['navigation'][number] {
  const { pages, title } = (value ?? {}) as Partial<SiteSettings['navigation'][number]>
  const isTitle = title === null || typeof title === 'string'
  return isTitle && Array.isArray(pages) && pages.every((path) => typeof path === 'string')
}

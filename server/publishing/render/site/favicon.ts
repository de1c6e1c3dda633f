// The icon of a site that brings none: the first letter of its title on a tile.
import { escapeHtml } from '../markdown/html.ts'
import { contentFile } from './theme-assets.ts'

/** The first letter or digit of a title. */
export function firstLetter(title: string): string {
  return (/[\p{L}\p{N}]\p{M}*/u.exec(title)?.[0] ?? '•').toUpperCase()
}

export function favicon(title: string) {
  const letter = escapeHtml(firstLetter(title))
  return contentFile(
    'icon',
    'svg',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1c5f45"/><text x="16" y="22.5" text-anchor="middle" font-family="Charter, Georgia, serif" font-size="19" font-weight="700" fill="#fdfcf9">${letter}</text></svg>\n`,
  )
}

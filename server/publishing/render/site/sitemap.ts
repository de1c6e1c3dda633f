// What search engines read: sitemap.xml (sitemaps.org, version 0.9) and robots.txt (RFC 9309).

import { escapeHtml } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { originPlaceholder } from '../sources/render-input.ts'

export function sitemap(paths: readonly string[]): string {
  const urls = paths.map(
    (path) => `<url><loc>${escapeHtml(originPlaceholder + hrefOf(path))}</loc></url>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`
}

export function robots(): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${originPlaceholder}/sitemap.xml\n`
}

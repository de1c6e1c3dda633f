// Reads sitemaps (sitemaps.org) and the lines of robots.txt that name them (RFC 9309, section 2.2.4). They are untrusted
// input of another server: only addresses of the host itself count, and reading takes time in proportion to the length.

export interface Sitemap {
  /** Of pages: path and query. */
  paths: string[]
  /** Of further sitemaps, where this is an index of them. */
  sitemaps: string[]
}

const maxAddresses = 1000
const maxAddressLength = 2048

/** Undefined for what is no sitemap. One that was cut off counts as far as it goes. */
export function readSitemap(text: string, host: string): Sitemap | undefined {
  const xml = withoutComments(text)
  const isIndex = /<sitemapindex[\s>]/.test(xml)
  if (!isIndex && !/<urlset[\s>]/.test(xml)) return undefined
  const paths = addressesIn(xml).flatMap((address) => pathAt(address, host) ?? [])
  const found = [...new Set(paths)]
  return isIndex ? { paths: [], sitemaps: found } : { paths: found, sitemaps: [] }
}

/** The paths of the sitemaps that a robots.txt names. */
export function readRobots(text: string, host: string): string[] {
  const named = text.split(/\r?\n/, maxAddresses).flatMap((line) => {
    const [, address = ''] = /^sitemap:(.*)$/i.exec(line.trim()) ?? []
    return address.length > maxAddressLength ? [] : (pathAt(address.trim(), host) ?? [])
  })
  return [...new Set(named)]
}

function withoutComments(xml: string): string {
  return xml
    .split('<!--')
    .map((part, i) => (i === 0 ? part : part.slice(part.indexOf('-->') + '-->'.length)))
    .join('')
}

function addressesIn(xml: string): string[] {
  const found: string[] = []
  for (let from = 0; found.length < maxAddresses; ) {
    const start = xml.indexOf('<loc>', from)
    const end = start < 0 ? -1 : xml.indexOf('</loc>', start)
    if (end < 0) break
    const text = xml.slice(start + '<loc>'.length, end)
    if (text.length <= maxAddressLength) found.push(unescaped(text.trim()))
    from = end
  }
  return found
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  const [, plain] = /^<!\[CDATA\[([^\]]*)\]\]>$/.exec(text) ?? []
  return plain ?? text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name) => entities[name] ?? '')
}

/** Undefined for an address of another host. */
function pathAt(address: string, host: string): string | undefined {
  const url = URL.parse(address)
  if (!url || url.hostname !== host || !/^https?:$/.test(url.protocol)) return undefined
  return url.pathname + url.search
}

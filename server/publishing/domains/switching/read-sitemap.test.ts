import { describe, expect, it } from 'vitest'
import { readRobots, readSitemap } from './read-sitemap.ts'

const host = 'docs.example.com'
const urlset = (...addresses: string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${addresses
    .map((address) => `<url><loc>${address}</loc></url>`)
    .join('\n')}</urlset>`

describe('readSitemap', () => {
  it('gives each page of the host once', () => {
    const text = urlset(
      ` https://${host}/guide/ `,
      `http://${host}/guide/`,
      `https://${host}/a?b=1&amp;c=2#part`,
      `<![CDATA[https://${host}/ü]]>`,
      'https://elsewhere.example/other',
      'javascript:alert(1)',
      '//relative',
    )
    expect(readSitemap(text, host)?.paths).toEqual(['/guide/', '/a?b=1&c=2', '/%C3%BC'])
  })

  it('tells an index from pages', () => {
    const index = `<sitemapindex><sitemap><loc>https://${host}/one.xml</loc></sitemap></sitemapindex>`
    expect(readSitemap(index, host)).toEqual({ paths: [], sitemaps: ['/one.xml'] })
  })

  it('reads as far as it goes', () => {
    const cut = urlset(`https://${host}/a`, `https://${host}/b`).slice(0, -40)
    expect(readSitemap(cut, host)?.paths).toEqual(['/a'])
    const hidden = `<urlset><!-- <loc>https://${host}/old</loc> --><loc>https://${host}/new</loc>`
    expect(readSitemap(hidden, host)?.paths).toEqual(['/new'])
  })

  it('takes no page of a site for one', () => {
    expect(readSitemap(`<html><loc>https://${host}/a</loc></html>`, host)).toBeUndefined()
    expect(readSitemap('', host)).toBeUndefined()
  })

  it('is not slow for hostile text', () => {
    for (const part of ['<loc>', '<!--', '&amp;', '<loc> ', '<urlset '])
      readSitemap(`<urlset>${part.repeat(50_000)}`, host)
  })
})

it('reads the sitemaps that a robots.txt names', () => {
  const text = `User-agent: *\r\nDisallow: /x\nsitemap: https://${host}/map.xml\nSitemap: https://other.example/\n`
  expect(readRobots(text, host)).toEqual(['/map.xml'])
})

import { expect, it } from 'vitest'
import { isHashedName } from './hashed-name.ts'

const hashed = [
  // webpack, Hugo, MkDocs, Sphinx: hexadecimal of 8 to 128 digits
  ...`name-3fa9c2d41b.css main.3f2a1b4c.js assets/css/main.3f2a1b4c.chunk.css
    bundle.56d2ad97.min.js bundle.56d2ad97.min.js.map
    app.9b74c9897bac770ffc029102a200c5de.js
    theme.e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.css
    static/js/2.1b2f3a9c.chunk.js logo-7d86c1e0f2.svg font.5c1d2e3f4a.woff2`.split(/\s+/),
  // Vite, Rollup, Astro: 8 characters of base64url and more
  ...`index.BX3k9_aZ.js assets/index-D4xK2mQ9.css _astro/page.C8fT3_bX.css
    vendor-Bq7Zt1Rw9Lm4.js hero.aB3dX9kQ.webp`.split(/\s+/),
]

const notHashed = [
  '',
  // dates, versions, numbers
  ...`release-20240101.pdf release-20240101a.pdf report-2024.01.15.pdf
    backup-20240101T120000.zip jquery-3.7.1.min.js app-1.2.3-rc.10.js
    invoice-1234567890.pdf part-1234567a.pdf photo.0123456789.jpg`.split(/\s+/),
  // words, alone and with a number, some of them hexadecimal
  ...`my-document.js getting-started.js video-face2face.mp4 notes-added2024.txt
    menu-cafe2024ab.json steak-deadbeef12.png facade99.js a-defaced0.css`.split(/\s+/),
  // products and names in mixed case
  ...`photo-iPhone12x.jpg iPhone12x.jpg shot-iPhone15ProMax.png specs-MacBook2Pro.pdf
    guide-OAuth2Api.js guide-HTML5CSS3x.js setup-WindowsServer2022.exe
    talk-JavaScript2024.mp4 IMG_20240101_120000.jpg IMG-20240101-WA0001.jpg`.split(/\s+/),
  // a hash of a record, not of the content
  ...`record-123e4567-e89b-12d3-a456-42661417400a.json`.split(/\s+/),
  // too short, or not where a bundler writes it
  ...`app-3fa9c2d.js index.BX3k9.js 3fa9c2d41b.css 3fa9c2d41b-name.css
    name_3fa9c2d41b.css 3fa9c2d41b/name.css name.3fa9c2d41b/index.css name-3fa9c2d41b
    name.BX3k9_aZ`.split(/\s+/),
  // pages, with any name
  ...`page.3fa9c2d41b.html page.3fa9c2d41b.HTM page-BX3k9_aZ.xhtml`.split(/\s+/),
  // only one case, which no bundler's base64url has
  ...`name-k3j9x0aq2m.js name-K3J9X0AQ2M.js .js -.js`.split(/\s+/),
]

it.each(hashed)('%s contains a hash', (path) => expect(isHashedName(path)).toBe(true))
it.each(notHashed)('%s does not', (path) => expect(isHashedName(path)).toBe(false))

it('checks a name of maximum length in linear time', () => {
  const start = performance.now()
  for (const part of ['a', 'aB3', '-', '.', '-a1', 'a.']) {
    expect(isHashedName(`${part.repeat(255)}.js`)).toBe(false)
  }
  expect(performance.now() - start).toBeLessThan(100)
})

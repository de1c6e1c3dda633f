import { describe, expect, it } from 'vitest'
import { renderSite } from '../render/render-site.ts'
import { findStyleSheets, maxHtmlLength, readOutline } from './read-outline.ts'

describe('the outline of a page', () => {
  it('has what our renderer shows', () => {
    const sources = new Map(
      Object.entries({
        'index.md':
          '# Welcome\n\nThe **first** words.\n\n## Install\n\n```sh\nnpm i\nnpm start\n```\n\n## Use\n\n- One\n- Two\n',
        'guide/start.md': '# Start here\n',
        'site.yaml': 'title: My product\nlinks: [{title: Source, url: https://example.com}]\n',
      }).map(([path, text]) => [path, Buffer.from(text)]),
    )
    const files = [...renderSite({ title: 'Docs', sources, assets: new Set() })]
    const page = files.find(({ path }) => path === 'index.html')
    expect(readOutline(Buffer.from(page?.bytes ?? '').toString())).toEqual({
      kind: null,
      title: 'My product',
      header: ['My product', 'Source'],
      navigation: ['Welcome', 'Start here'],
      contents: ['Install', 'Use'],
      blocks: [
        { kind: 'h1', text: 'Welcome' },
        { kind: 'text', text: 'The first words.' },
        { kind: 'h2', text: 'Install' },
        { kind: 'code', text: 'npm i\nnpm start' },
        { kind: 'h2', text: 'Use' },
        { kind: 'item', text: 'One' },
        { kind: 'item', text: 'Two' },
      ],
      colours: { background: null, text: null, accent: null },
    })
  })

  it('has the colours of a page, also by variables', () => {
    const html = `<title>A &amp; B &#8212; <b></title><meta name=theme-color content="#AA0000">
      <style>@media print { body { color: red } } :root{--bg:#123;--ink: rgb(1, 2, 3)}
      body { margin: 0; background: var(--bg) none; color: var(--ink) }</style><p>x`
    expect(readOutline(html)).toMatchObject({
      title: 'A & B — <b>',
      blocks: [{ kind: 'text', text: 'x' }],
      colours: { background: '#112233', accent: '#aa0000' },
    })
    expect(readOutline('<p>x', ['html,body{background:white}a{color:#00f}']).colours).toEqual({
      background: '#ffffff',
      text: null,
      accent: '#0000ff',
    })
  })

  it.each([
    '<',
    '<a',
    '<a href="x',
    "<p title='",
    '<!--',
    '</',
    '<script>',
    '<li><p>',
    '<style>{',
    '<style>a{',
    '}',
    '&#x110000;',
    '&amp',
    '\0',
  ])('of %j, over and over, is small and read in little time', (piece) => {
    const html = piece.repeat(Math.ceil((2 * maxHtmlLength) / piece.length))
    const started = performance.now()
    const outline = readOutline(html, [html])
    findStyleSheets(html, 3)
    expect(performance.now() - started).toBeLessThan(2000)
    expect(JSON.stringify(outline).length).toBeLessThan(20_000)
  })

  it('keeps no control characters, and leaves out what is not shown', () => {
    const html =
      '<p>a\u0000\u0007b<svg><text>no</text></svg></p><script>"<p>no</p>"</script><!-- <p>no --><p>c'
    expect(readOutline(html).blocks.map(({ text }) => text)).toEqual(['ab', 'c'])
  })
})

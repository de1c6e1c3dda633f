import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/cases.ts'
import { readHostname } from './hostname.ts'

const own = {
  hosts: ['shop.animals.example', 'api.animals.example'],
  platformHost: 'docs.animals.example',
}

/** The input; the parsed host, label and registrable domain; the name shown to users. */
const read: [string, string, string, string, string?][] = [
  ['docs.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['example.com', 'example.com', '@', 'example.com'],
  ['  docs.example.com \n', 'docs.example.com', 'docs', 'example.com'],
  ['\ufeffdocs.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['DOCS.Example.COM', 'docs.example.com', 'docs', 'example.com'],
  ['docs.example.com.', 'docs.example.com', 'docs', 'example.com'],
  ['www.example.com', 'www.example.com', 'www', 'example.com'],
  ['a.b.c.example.co.uk', 'a.b.c.example.co.uk', 'a.b.c', 'example.co.uk'],
  ['https://docs.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['https://www.example.com/', 'www.example.com', 'www', 'example.com'],
  ['HTTPS://docs.example.com/guide?a=1#b', 'docs.example.com', 'docs', 'example.com'],
  ['http://docs.example.com:8080/guide', 'docs.example.com', 'docs', 'example.com'],
  ['//docs.example.com/x', 'docs.example.com', 'docs', 'example.com'],
  ['https://me:secret@docs.example.com/', 'docs.example.com', 'docs', 'example.com'],
  ['https://docs.example.com\\x', 'docs.example.com', 'docs', 'example.com'],
  ['https:docs.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['http:/docs.example.com/guide', 'docs.example.com', 'docs', 'example.com'],
  ['HTTP:\\\\docs.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['https:///docs.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['http.example.com:80', 'http.example.com', 'http', 'example.com'],
  ['docs.example.com/guide', 'docs.example.com', 'docs', 'example.com'],
  ['docs.example.com?x=1', 'docs.example.com', 'docs', 'example.com'],
  ['docs.example.com#x', 'docs.example.com', 'docs', 'example.com'],
  ['docs.example.com:443', 'docs.example.com', 'docs', 'example.com'],
  ['docs.example.com:', 'docs.example.com', 'docs', 'example.com'],
  ['docs.example.com.:443/x', 'docs.example.com', 'docs', 'example.com'],
  ['docs。example．com', 'docs.example.com', 'docs', 'example.com'],
  ['ｄｏｃｓ.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['do\u00adcs.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['docs\u200b.example.com', 'docs.example.com', 'docs', 'example.com'],
  ['2024.example.com', '2024.example.com', '2024', 'example.com'],
  ['1.2.3.4.example.com', '1.2.3.4.example.com', '1.2.3.4', 'example.com'],
  ['a--b.example.com', 'a--b.example.com', 'a--b', 'example.com'],
  [`${'a'.repeat(63)}.example.com`, `${'a'.repeat(63)}.example.com`, 'a'.repeat(63), 'example.com'],
  ['foo.github.io', 'foo.github.io', '@', 'foo.github.io'],
  ['docs.foo.github.io', 'docs.foo.github.io', 'docs', 'foo.github.io'],
  ['shop.test', 'shop.test', '@', 'shop.test'],
  ['docs.city.kawasaki.jp', 'docs.city.kawasaki.jp', 'docs', 'city.kawasaki.jp'],
  ['animals.example', 'animals.example', '@', 'animals.example'],
  ['otherdocs.animals.example', 'otherdocs.animals.example', 'otherdocs', 'animals.example'],
  ['Bücher.de', 'xn--bcher-kva.de', '@', 'xn--bcher-kva.de', 'bücher.de'],
  ['xn--bcher-kva.de', 'xn--bcher-kva.de', '@', 'xn--bcher-kva.de', 'bücher.de'],
  ['XN--BCHER-KVA.de', 'xn--bcher-kva.de', '@', 'xn--bcher-kva.de', 'bücher.de'],
  ['bu\u0308cher.de', 'xn--bcher-kva.de', '@', 'xn--bcher-kva.de', 'bücher.de'],
  ['faß.de', 'xn--fa-hia.de', '@', 'xn--fa-hia.de', 'faß.de'],
  ['документы.рф', 'xn--d1acoigc6ae0f.xn--p1ai', '@', 'xn--d1acoigc6ae0f.xn--p1ai', 'документы.рф'],
  ['сос.рф', 'xn--n1afb.xn--p1ai', '@', 'xn--n1afb.xn--p1ai', 'сос.рф'],
  ['日本語.jp', 'xn--wgv71a119e.jp', '@', 'xn--wgv71a119e.jp', '日本語.jp'],
  ['日本のdocs.jp', 'xn--docs-4c4cn272ao4b.jp', '@', 'xn--docs-4c4cn272ao4b.jp', '日本のdocs.jp'],
  ['한국어.kr', 'xn--3e0bk47br7k.kr', '@', 'xn--3e0bk47br7k.kr', '한국어.kr'],
  ['ελλάδα.gr', 'xn--hxakic4aa.gr', '@', 'xn--hxakic4aa.gr', 'ελλάδα.gr'],
  ['דוגמה.com', 'xn--6dbbec0c.com', '@', 'xn--6dbbec0c.com', 'דוגמה.com'],
  // Lookalikes are shown in ASCII: mixed scripts, whole labels of another script, odd Latin, symbols.
  ['раypal.com', 'xn--ypal-43d9g.com', '@', 'xn--ypal-43d9g.com', 'xn--ypal-43d9g.com'],
  ['аррӏе.com', 'xn--80ak6aa92e.com', '@', 'xn--80ak6aa92e.com', 'xn--80ak6aa92e.com'],
  [
    'docs.аррӏе.com',
    'docs.xn--80ak6aa92e.com',
    'docs',
    'xn--80ak6aa92e.com',
    'docs.xn--80ak6aa92e.com',
  ],
  ['gıthub.com', 'xn--gthub-n4a.com', '@', 'xn--gthub-n4a.com', 'xn--gthub-n4a.com'],
  ['☃.com', 'xn--n3h.com', '@', 'xn--n3h.com', 'xn--n3h.com'],
  [
    'bücher.аррӏе.com',
    'xn--bcher-kva.xn--80ak6aa92e.com',
    'xn--bcher-kva',
    'xn--80ak6aa92e.com',
    'bücher.xn--80ak6aa92e.com',
  ],
]

/** The input, and part of the error message. */
const refused: [string, string][] = [
  ['', 'such as docs.example.com'],
  ['   ', 'Enter a host name'],
  ['https://', 'Enter a host name'],
  ['/guide', 'Enter a host name'],
  ['docs', 'such as docs.example.com'],
  ['localhost', 'not in the public DNS'],
  ['docs.localhost', 'end in .localhost'],
  ['printer.local', 'end in .local'],
  ['x.internal', 'end in .internal'],
  ['abcdef.onion', 'end in .onion'],
  ['4.3.2.1.in-addr.arpa', 'end in .arpa'],
  ['1.2.3.4', '1.2.3.4 is read as an IP address'],
  ['http://1.2.3.4:80/', '1.2.3.4'],
  ['127.1', 'IP address'],
  ['0x7f.1', 'IP address'],
  ['0177.0.0.1', 'IP address'],
  ['2130706433', 'IP address'],
  ['1.2.3.08', 'IP address'],
  ['docs.example.1', 'IP address'],
  ['docs.0x4', 'IP address'],
  ['１.２.３.４', 'IP address'],
  ['1.2.3.4.', 'IP address'],
  ['::1', 'IP address'],
  ['[2001:db8::1]', 'IP address'],
  ['http://[2001:db8::1]:80/', 'IP address'],
  ['2001:db8::1', '2001:db8::1 is read'],
  ['::ffff:1.2.3.4', 'IP address'],
  ['com', '"com" is not a full name'],
  ['co.uk', 'co.uk is a public suffix'],
  ['github.io', 'github.io is a public suffix'],
  ['GitHub.io.', 'such as example.github.io'],
  ['рф', 'not a full name'],
  ['com.de', 'com.de is a public suffix'],
  ['x.ck', 'public suffix'],
  ['docs.animals.example', 'belongs to this platform'],
  ['tour.docs.animals.example', 'Enter a domain of your own'],
  ['https://SHOP.animals.example/', 'an address of this platform itself'],
  ['*.example.com', 'such as example.com or docs.example.com'],
  ['docs.*.com', 'each host by its name.'],
  ['my_docs.example.com', 'Use a hyphen'],
  ['my＿docs.example.com', 'underscore'],
  ['_dmarc.example.com', '"_dmarc"'],
  [`${'a'.repeat(64)}.example.com`, 'has 64 characters'],
  [`${'a.'.repeat(122)}example.com`, 'this one has 255'],
  ['x'.repeat(3000), 'at most 253'],
  ['docs..example.com', 'two dots in a row'],
  ['.example.com', 'one at its beginning'],
  ['docs.example.com..', 'two dots in a row'],
  ['-docs.example.com', 'begins or ends with a hyphen'],
  ['docs-.example.com', '"docs-"'],
  ['ab--cd.example.com', 'third and fourth'],
  ['xn--a.example.com', 'not the encoded form'],
  ['xn--.example.com', '"xn--"'],
  ['xn--docs-.example.com', '"xn--docs-"'],
  ['do cs.example.com', 'no spaces'],
  ['docs.example.com, www.example.com', 'no spaces'],
  ['docs\u0000.example.com', 'control character'],
  ['docs\t.example.com', 'control character'],
  ['docs\ud800.example.com', 'control character'],
  ['docs%2eexample.com', 'percent-encoded'],
  ['docs!.example.com', '"!"'],
  ['docs.example.com;', '";"'],
  ['docs,example.com', '","'],
  ['docs\u202e.example.com', 'U+202E'],
  ['1א.com', 'spelling'],
  ['me@example.com', 'such as example.com'],
  ['mailto:me@example.com', 'e-mail'],
  ['a／b.com', '"／"'],
]

describe('readHostname', () => {
  it.each(read)('reads %j', (text, host, label, registrableDomain, unicode) => {
    const isApex = label === '@'
    expect(readHostname(text, own)).toEqual({
      ok: { host, unicodeHost: unicode ?? host, label, registrableDomain, isApex },
    })
  })

  it.each(refused)('refuses %j', (text, words) => {
    expect(readHostname(text, own).refused).toContain(words)
  })

  it('parses its own output to the same result, for any input', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.domain(), fc.webUrl(), fc.string())
    fc.assert(
      fc.property(texts, (text) => {
        const { ok } = readHostname(text, own)
        if (ok === undefined) return
        expect(ok.host).toMatch(/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/)
        expect(readHostname(ok.host, own).ok).toEqual(ok)
        expect(readHostname(ok.unicodeHost, own).ok).toEqual(ok)
        expect(ok.isApex ? ok.host : `${ok.label}.${ok.registrableDomain}`).toBe(ok.host)
      }),
      { numRuns: runs(2000) },
    )
  })
})

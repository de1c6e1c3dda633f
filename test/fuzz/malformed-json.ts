// Bodies that are not strict JSON (RFC 8259, RFC 7493).
import fc, { type Arbitrary } from 'fast-check'

/** Derived from valid bodies, so that each has only this fault. */
export function malformedBodies(valid: Arbitrary<string>): Arbitrary<Uint8Array> {
  const damage: ((text: string) => string)[] = [
    () => '',
    () => ' ',
    (text) => text.trimEnd().slice(0, -1),
    (text) => `${text}}`,
    (text) => `${text}${text}`,
    (text) => `\ufeff${text}`,
    (text) => `// comment\n${text}`,
    (text) => text.trimEnd().replace(/\}$/, ',}'),
    (text) => text.replace('{', '{"name":"twice","name":"twice",'),
    (text) => text.replace('{', '{"x":NaN,'),
    (text) => text.replace('{', '{"x":+1,'),
    (text) => text.replace('{', '{"x":01,'),
    (text) => text.replace('{', "{'x':1,"),
    (text) => text.replace('{', '{x:1,'),
    (text) => text.replace('{', '{"x":"\\ud800",'),
    (text) => text.replace('{', '{"x":"\\q",'),
    (text) => text.replace('{', '{"x":"\n",'),
    (text) => text.replace('{', `{"x":${'['.repeat(40)}${']'.repeat(40)},`),
    () => 'name=Rex&categoryId=7',
    () => '<pet/>',
    () => '[1,]',
    () => 'nul',
  ]
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const damaged = fc
    .tuple(valid, fc.constantFrom(...damage))
    .map(([text, damageText]) => bytes(damageText(text)))
  const notUtf8 = fc
    .tuple(valid, fc.constantFrom([0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x28]))
    .map(([text, wrong]) => {
      const [start, end] = [bytes('{"x":"'), bytes(`",${text.trimStart().slice(1)}`)]
      return Uint8Array.from([...start, ...wrong, ...end])
    })
  const noise = fc.uint8Array({ minLength: 1, maxLength: 20 }).filter((found) => {
    try {
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(found))
      return false
    } catch {
      return true
    }
  })
  return fc.oneof(damaged, notUtf8, noise)
}

import { describe, expect, it } from 'vitest'
import { diagnosisToJson } from '../checks/check-result.ts'
import type { PlainRecord } from './diagnostic.ts'
import { a, at, evidence, facts, nothing, target, token } from './evidence-in-test.ts'
import { type FixForm, fixForms } from './fixes.ts'
import { formatDiagnosis } from './format-diagnosis.ts'
import { judge } from './judge.ts'

const place = { zone: 'example.com', nameServer: 'ns1.example.net' }
const record = (type: PlainRecord['type'], value: string, name = 'docs.example.com') => {
  return { name, type, value, ttlSeconds: 3600 }
}
const form = (
  tool: FixForm['tool'],
  add: PlainRecord[],
  remove: PlainRecord[] = [],
  where = place,
) => fixForms({ text: '', add, remove }, where).find((each) => each.tool === tool)?.text

describe('fixForms of a subdomain', () => {
  const add = [record('CNAME', target)]
  const remove = [record('A', '192.0.2.1')]
  it('as a zone file', () => {
    expect(form('zone-file', add, remove)).toBe(
      '$ORIGIN example.com.\n; delete: docs 3600 IN A 192.0.2.1\ndocs 3600 IN CNAME docs.animals.example.\n',
    )
  })
  it('as an nsupdate script', () => {
    expect(form('nsupdate', add, remove)).toBe(
      [
        'server ns1.example.net',
        'zone example.com.',
        'update delete docs.example.com. A 192.0.2.1',
        'update add docs.example.com. 3600 CNAME docs.animals.example.',
        'send\n',
      ].join('\n'),
    )
  })
  it('as Terraform', () => {
    expect(form('terraform-route53', add)).toBe(
      [
        'resource "aws_route53_record" "docs_example_com_cname" {',
        '  zone_id = var.zone_id',
        '  name    = "docs.example.com"',
        '  type    = "CNAME"',
        '  ttl     = 3600',
        '  records = ["docs.animals.example"]',
        '}\n',
      ].join('\n'),
    )
    const lines = form('terraform-cloudflare', add, remove)
    expect(lines).toContain('# Delete: docs.example.com A 192.0.2.1\n')
    expect(lines).toContain('resource "cloudflare_dns_record" "docs_example_com_cname" {')
    expect(lines).toContain('content = "docs.animals.example"\n  proxied = false')
  })
  it('as a dig command', () => {
    expect(form('dig', add)).toBe('dig +norecurse @ns1.example.net docs.example.com CNAME\n')
    const unsafe = { ...place, nameServer: '-f;rm' }
    expect(form('dig', add, [], unsafe)).toBe('dig +norecurse docs.example.com CNAME\n')
  })
})

describe('fixForms of an apex', () => {
  const add = [record('ALIAS', target, 'example.com')]
  it('include only formats that support ALIAS', () => {
    expect(fixForms({ text: '', add, remove: [] }, place).map(({ tool }) => tool)).toEqual([
      'zone-file',
      'terraform-cloudflare',
      'dig',
    ])
    expect(form('zone-file', add)).toContain('\n@ 3600 IN ALIAS docs.animals.example.\n')
    expect(form('terraform-cloudflare', add)).toContain('  type    = "CNAME"\n')
    expect(form('dig', add)).toBe(
      'dig +norecurse @ns1.example.net example.com A\ndig +norecurse @ns1.example.net example.com AAAA\n',
    )
  })
  it('suggest www when the provider has no ALIAS', () => {
    const { evidence: without } = evidence({ host: 'example.com' })
      .holding(nothing)
      .zone({ provider: { name: 'X', hasAlias: false } })
    const [diagnostic] = judge(without).diagnostics
    expect(diagnostic?.fix?.add).toEqual([record('CNAME', target, 'www.example.com')])
  })
})

describe('quoting', () => {
  const long = 'x'.repeat(300)
  it.each([
    ['quotes and backslashes', 'a "b" \\c', '"a \\"b\\" \\\\c"'],
    ['bytes as decimal escapes', 'a\\200b', '"a\\200b"'],
    ['characters outside ASCII', 'é', '"\\195\\169"'],
    ['line breaks', 'a\nb', '"a\\010b"'],
    ['long texts', long, `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`],
    ['long texts of bytes', '\\200'.repeat(256), `"${'\\200'.repeat(255)}" "\\200"`],
    ['nothing', '', '""'],
  ])('of %s', (_, value, zoneFile) => {
    expect(form('zone-file', [record('TXT', value)])).toContain(` IN TXT ${zoneFile}\n`)
  })
  it('escapes template sequences in Terraform', () => {
    const text = form('terraform-cloudflare', [record('TXT', `a"${'$'}{b}%{c}`)])
    expect(text).toContain(`a\\\\\\"${'$$'}{b}%%{c}`)
    expect(form('terraform-cloudflare', [record('TXT', long)])).toContain('x\\" \\"x')
    expect(form('terraform-cloudflare', [record('TXT', 'a')])).toContain('content = "\\"a\\""')
  })
  it('writes CAA in each format', () => {
    const add = [record('CAA', '0 issue "authority.example"', 'example.com')]
    expect(form('zone-file', add)).toContain('@ 3600 IN CAA 0 issue "authority.example"\n')
    expect(form('terraform-cloudflare', add)).toContain(
      'data    = { flags = 0, tag = "issue", value = "authority.example" }',
    )
  })
  it('write for Route 53 only what replaces nothing', () => {
    expect(form('terraform-route53', [record('CAA', '0 issue "a.example"')])).toBeUndefined()
    expect(form('terraform-route53', [record('TXT', token)])).toBeUndefined()
  })
  it('prevents a found value from ending a line or a comment', () => {
    const remove = [record('CNAME', 'x\nupdate add evil.example. 1 A 192.0.2.1')]
    for (const { text } of fixForms({ text: '', add: [record('CNAME', target)], remove }, place)) {
      expect(text).not.toMatch(/^update add evil/m)
    }
  })
})

describe('diagnostics as text and JSON', () => {
  const wrong = evidence().holding(
    facts({
      name: 'docs.example.com',
      ttlSeconds: 1,
      type: 'CNAME',
      target: 'docs.animal.example',
    }),
  ).evidence
  const options = {
    hasColour: false,
    formatTime: (time: number) => new Date(time).toISOString().slice(11, 16),
  }
  it('mark the difference', () => {
    const text = formatDiagnosis(judge(wrong), wrong, options)
    expect(text).toBe(
      [
        'docs.example.com points elsewhere',
        '',
        '✗ D12 docs.example.com points to docs.animal.example, and must point to exactly docs.animals.example',
        '   The two differ in few characters.',
        '   found     docs.animal.example',
        '   expected  docs.animals.example',
        '                        ^',
        '   → Change the value of the CNAME record docs from docs.animal.example to docs.animals.example.\n',
      ].join('\n'),
    )
  })
  it('show the end time, and use colour only on request', () => {
    const missing = evidence().holding(nothing).evidence
    expect(formatDiagnosis(judge(missing), missing, options)).toContain('   cached until 12:15\n')
    expect(formatDiagnosis(judge(missing), missing, { ...options, hasColour: true })).toContain(
      '\u001b[31m✗ D07\u001b[0m',
    )
    const [diagnostic] = diagnosisToJson(judge(missing), missing).diagnostics
    expect(diagnostic?.until).toBe(new Date(at + 900_000).toISOString())
    expect(diagnostic?.fix?.forms.map(({ tool }) => tool)).toContain('zone-file')
  })
  it('show both forms of a host name', () => {
    const idn = evidence({ host: 'docs.bücher.de' }).holding(
      facts(a('docs.xn--bcher-kva.de', '192.0.2.1')),
    ).evidence
    expect(formatDiagnosis(judge(idn), idn, options)).toMatch(
      /^docs\.bücher\.de \(docs\.xn--bcher-kva\.de\) has conflicting records/,
    )
  })
})

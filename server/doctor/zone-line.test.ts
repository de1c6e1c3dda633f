import { describe, expect, it } from 'vitest'
import { at, evidence, nothing, target, token } from './evidence-in-test.ts'
import { diagnosisToJson, formatDiagnosis } from './rules/format-diagnosis.ts'
import { judge } from './rules/judge.ts'
import { type PlainRecord, zoneLine } from './wording.ts'

const line = (type: PlainRecord['type'], value: string, name = 'docs.example.com') =>
  zoneLine({ name, type, value, ttlSeconds: 3600 })

describe('zoneLine', () => {
  it('of each type', () => {
    expect(line('CNAME', target)).toBe('docs.example.com. 3600 IN CNAME docs.animals.example.')
    expect(line('ALIAS', target, 'example.com')).toBe(
      'example.com. 3600 IN ALIAS docs.animals.example.',
    )
    expect(line('A', '192.0.2.1')).toBe('docs.example.com. 3600 IN A 192.0.2.1')
    expect(line('CAA', '0 issue "authority.example"', 'example.com')).toBe(
      'example.com. 3600 IN CAA 0 issue "authority.example"',
    )
    expect(line('TXT', token)).toBe(`docs.example.com. 3600 IN TXT "${token}"`)
  })
  const long = 'x'.repeat(300)
  it.each([
    ['quotes and backslashes', 'a "b" \\c', '"a \\"b\\" \\\\c"'],
    ['bytes as decimal escapes', 'a\\200b', '"a\\200b"'],
    ['characters outside ASCII', 'é', '"\\195\\169"'],
    ['line breaks', 'a\nb', '"a\\010b"'],
    ['long texts', long, `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`],
    ['long texts of bytes', '\\200'.repeat(256), `"${'\\200'.repeat(255)}" "\\200"`],
    ['nothing', '', '""'],
  ])('quotes %s', (_, value, quoted) => {
    expect(line('TXT', value)).toBe(`docs.example.com. 3600 IN TXT ${quoted}`)
  })
  it('has no value that ends the line', () => {
    expect(line('CNAME', 'x\nevil.example. 1 IN A 192.0.2.1')).not.toContain('\n')
    expect(line('CAA', '0 issue "a\nb"')).not.toContain('\n')
  })
})

it('diagnostics show the end time as text and JSON, and use colour only on request', () => {
  const missing = judge(evidence().holding(nothing).evidence)
  const formatTime = (time: number) => new Date(time).toISOString().slice(11, 16)
  expect(formatDiagnosis(missing, { hasColour: false, formatTime })).toContain(
    '   cached until 12:15\n',
  )
  expect(formatDiagnosis(missing, { hasColour: true, formatTime })).toContain(
    '\u001b[31m✗ D07\u001b[0m',
  )
  const [diagnostic] = diagnosisToJson(missing).diagnostics
  expect(diagnostic?.until).toBe(new Date(at + 900_000).toISOString())
  expect(diagnostic?.fix?.zoneLines).toEqual([
    'docs.example.com. 3600 IN CNAME docs.animals.example.',
  ])
})

// What a check found, as the terminal shows it, and the fixes that --fix prints for a tool.
import type { FixForm } from '../../publishing/domains/doctor/fixes.ts'
import { shown, type TextOptions } from '../../publishing/domains/doctor/terminal-text.ts'

/** Colours on a terminal unless NO_COLOR is set, lines that fit its width, times in the local time zone. */
export function textOptions(): TextOptions {
  const { columns, isTTY } = process.stdout
  return {
    ...(isTTY && columns > 0 ? { columns } : {}),
    hasColour: isTTY === true && !process.env.NO_COLOR,
    formatTime: (at) =>
      new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
  }
}

/** The values of --fix. */
export type FixTool = 'zone' | 'nsupdate' | 'terraform' | 'dig'

/** The forms of each tool, the preferred one first. */
const formsFor: Record<FixTool, FixForm['tool'][]> = {
  zone: ['zone-file'],
  nsupdate: ['nsupdate'],
  terraform: ['terraform-route53', 'terraform-cloudflare'],
  dig: ['dig'],
}

interface Checked {
  diagnostics: readonly { code: string; fix: { forms: readonly FixForm[] } | null }[]
  provider?: { name: string } | null
}

/** `record`: the forms of the record to create, for where no diagnostic has a fix. */
export function fixText(
  { diagnostics, provider }: Checked,
  tool: FixTool,
  record: readonly FixForm[] = [],
): string {
  const tools: FixForm['tool'][] = [...formsFor[tool]]
  if (provider?.name === 'Cloudflare') tools.reverse()
  const formOf = (forms: readonly FixForm[]): string | undefined =>
    tools.map((one) => forms.find((form) => form.tool === one)?.text).find((text) => text)
  const fixes = diagnostics.flatMap(({ fix }) => {
    const text = fix && formOf(fix.forms)
    return text ? [text] : []
  })
  const needed = diagnostics.some(({ fix }) => fix !== null && fix.forms.length > 0)
  if (fixes.length === 0 && !needed)
    fixes.push(...[formOf(record)].filter((text) => text !== undefined))
  if (fixes.length > 0) return `\n${[...new Set(fixes)].map(plain).join('\n')}`
  const why =
    needed || record.length > 0 ? `${tool} cannot create this record` : 'there is nothing to fix'
  return `\nNo output for --fix ${tool}: ${why}.\n`
}

/** Keeps line breaks and escapes all other control characters. */
function plain(text: string): string {
  return text.split('\n').map(shown).join('\n')
}

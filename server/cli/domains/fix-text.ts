// The mend of what the doctor found, as a tool takes it: for --fix.
import type { FixForm } from '../../publishing/domains/doctor/fixes.ts'
import { shown } from '../../publishing/domains/doctor/terminal-text.ts'
import { UsageError } from '../command-line/command.ts'
import { type FixTool, fixTools } from './domains-options.ts'

/** The forms that each stands for, the better one first. */
const formsFor: Record<FixTool, FixForm['tool'][]> = {
  zone: ['zone-file'],
  nsupdate: ['nsupdate'],
  terraform: ['terraform-route53', 'terraform-cloudflare'],
  dig: ['dig'],
}

/** Undefined when it is not asked for. Throws a UsageError. */
export function fixToolOf(text: string | undefined): FixTool | undefined {
  if (text === undefined) return undefined
  const tool = fixTools.find((one) => one === text)
  if (tool) return tool
  throw new UsageError(`--fix accepts ${fixTools.join(', ')}`)
}

interface Mendable {
  diagnostics: readonly { code: string; fix: { forms: readonly FixForm[] } | null }[]
  provider?: { name: string } | null
}

/** `record`: the forms of the record to create, where no diagnostic has a mend of its own. */
export function fixText(
  { diagnostics, provider }: Mendable,
  tool: FixTool,
  record: readonly FixForm[] = [],
): string {
  const wanted: FixForm['tool'][] = [...formsFor[tool]]
  if (provider?.name === 'Cloudflare') wanted.reverse()
  const formOf = (forms: readonly FixForm[]): string | undefined =>
    wanted.map((one) => forms.find((form) => form.tool === one)?.text).find((text) => text)
  const mends = diagnostics.flatMap(({ fix }) => {
    const text = fix && formOf(fix.forms)
    return text ? [text] : []
  })
  const needed = diagnostics.some(({ fix }) => fix !== null && fix.forms.length > 0)
  if (mends.length === 0 && !needed)
    mends.push(...[formOf(record)].filter((text) => text !== undefined))
  if (mends.length > 0) return `\n${[...new Set(mends)].map(plain).join('\n')}`
  const why =
    needed || record.length > 0 ? `${tool} cannot make this record` : 'there is nothing to mend'
  return `\nNothing for --fix ${tool}: ${why}.\n`
}

/** Lines stay lines; nothing in them steers the terminal. */
function plain(text: string): string {
  return text.split('\n').map(shown).join('\n')
}

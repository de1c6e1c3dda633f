// Options that several commands on domains have in common.
import type { Option } from '../command-line/command.ts'

/** How long --wait waits, unless --timeout says so. */
export const standardWait = '30m'
/** What --fix accepts. */
export const fixTools = ['zone', 'nsupdate', 'terraform', 'dig'] as const
export type FixTool = (typeof fixTools)[number]

export const waitOptions: Record<'wait' | 'timeout', Option> = {
  wait: {
    meaning: 'Show the steps until it is served over HTTPS, or there is something for you to do.',
  },
  timeout: {
    value: 'SPAN',
    meaning: `With --wait: how long at most, such as 10m or 48h; ${standardWait} without it.`,
  },
}

export const fixOption: Record<'fix', Option> = {
  fix: {
    value: 'TOOL',
    meaning: `Print the mend as a tool takes it: ${fixTools.join(', ')}. dig is the command that shows the result.`,
  },
}

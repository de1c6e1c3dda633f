// Findings of the checks of an installation. They have no secrets: they are shown on a page and in scripts.
import type { SystemChecks } from './schema.ts'

export type Finding = SystemChecks['findings'][number]

/** Makes findings of an area. `fix`: what to do, as a sentence. */
export function findingsOf(area: Finding['area']) {
  const withoutFix = (status: Finding['status']) => (subject: string, message: string) => ({
    ...{ area, status, subject, message, fix: null },
  })
  const withFix =
    (status: Finding['status']) => (subject: string, message: string, fix: string) => ({
      ...{ area, status, subject, message, fix },
    })
  return {
    ok: withoutFix('ok'),
    skipped: withoutFix('skipped'),
    warning: withFix('warning'),
    problem: withFix('problem'),
  } satisfies Partial<Record<Finding['status'], (...texts: [string, string, string]) => Finding>>
}

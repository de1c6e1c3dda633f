// The preview of a domain: before DNS points to us, a host below the platform host shows the project exactly as the
// domain will. `d--<end of the domain's id>--<slug>` is one label, like that of a deploy's preview, so that a
// certificate for *.<platform host> covers it. No deploy's preview has a name of one character.
import { type RawBuilder, sql } from 'kysely'
import type { DomainState } from './domain-state.ts'

/** Where DNS leads while there is a preview. */
export const previewedDns = ['missing', 'conflict', 'wrong_target', 'partial'] as const

const maxLabelLength = 63
/** The random digits of a record id (record-id.ts), `length` of them from the character `start`, counted from 1. */
const idDigits = { start: 14, length: 12 }
const form = /^d--([0-9a-z]{12})--(.+)$/

/** Whether the domain is the owner's while DNS leads elsewhere. Queries have the same conditions. */
export function isPreviewed({ dns, ownership, pausedAt, provenBy, serving }: DomainState): boolean {
  const isProven = ownership === 'proven' && provenBy === 'txt'
  const isServed = pausedAt === null && serving !== 'suspended'
  return isProven && isServed && previewedDns.some((each) => each === dns)
}

/** Of the id in this column. */
export const digitsOfId = (column: string): RawBuilder<string> =>
  sql<string>`substr(${sql.ref(column)}, ${sql.lit(idDigits.start)}, ${sql.lit(idDigits.length)})`

/** Undefined if it would be too long: then there is no preview. */
export function domainPreviewLabel(id: string, slug: string): string | undefined {
  const label = `d--${id.slice(idDigits.start - 1)}--${slug}`
  return label.length <= maxLabelLength ? label : undefined
}

/** The random digits of the domain's id and the slug that a label stands for; undefined if it is no domain's preview. */
export function readDomainPreviewLabel(label: string): { id: string; slug: string } | undefined {
  const [, id, slug] = form.exec(label) ?? []
  return id !== undefined && slug !== undefined ? { id, slug } : undefined
}

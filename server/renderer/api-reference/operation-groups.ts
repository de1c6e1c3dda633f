// How the operations of a document belong together: by tags, and by the headers that their responses have in common.
import { capital, oneLine } from '../sources/plain-text.ts'
import { flagField, listField, textField, textsField } from './document/document-values.ts'
import type { ApiDocument } from './document/read-document.ts'
import type { Header, Operation } from './document/read-operations.ts'

/**
 * By tag, in the order in which `x-tagGroups` and then `tags` name them; an operation with several is in each. Those without,
 * and webhooks, are groups at the end.
 */
export function groupOperations({ root }: ApiDocument, operations: Operation[]) {
  const tags = Map.groupBy(listField(root, 'tags'), (tag) => textField(tag, 'name') ?? '')
  const sections = new Map(
    listField(root, 'x-tagGroups').flatMap((group) =>
      textsField(group, 'tags').map((tag) => [tag, textField(group, 'name')] as const),
    ),
  )
  const byTag = new Map<string, Operation[]>()
  for (const operation of operations) {
    const own = new Set(operation.isWebhook ? [] : operation.tags.slice(0, 20))
    for (const tag of own) byTag.getOrInsert(tag, []).push(operation)
  }
  const untagged = byTag.size > 0 ? 'Other operations' : 'Operations'
  for (const operation of operations) {
    const title = operation.isWebhook ? 'Webhooks' : operation.tags.length === 0 && untagged
    if (title) byTag.getOrInsert(title, []).push(operation)
  }
  const names = new Set([...sections.keys(), ...tags.keys(), ...byTag.keys()])
  names.delete('')
  return [...names].flatMap((name) => {
    const section = sections.get(name)
    const tag = tags.get(name)?.at(-1)
    const title = textField(tag, 'x-displayName') ?? textField(tag, 'summary') ?? capital(name)
    const group = {
      tag: name,
      title: oneLine(title, 80),
      section: section && oneLine(section, 80),
      description: textField(tag, 'description'),
      operations: byTag.get(name) ?? [],
    }
    // A tag that is only text has `x-traitTag`.
    return group.operations.length > 0 || flagField(tag, 'x-traitTag') ? [group] : []
  })
}

const limitName = /^(x-)?rate-?limit|^retry-after$/i

export function commonHeaders(operations: readonly Operation[]) {
  const responses = operations.flatMap((item) => (item.isWebhook ? [] : item.responses))
  const all = responses.flatMap(({ headers }) => headers)
  const byKey = Map.groupBy(all, keyOf)
  const isCommon = (header: Header) =>
    responses.length > 2 && byKey.get(keyOf(header))?.length === responses.length
  const [limits = [], others = []] = [true, false].map((isLimit) => {
    const chosen = all.filter(({ name }) => limitName.test(name) === isLimit)
    const groups = Map.groupBy(chosen, isLimit ? ({ name }) => name.toLowerCase() : keyOf)
    return [...groups.values()].flatMap(([first]) => first ?? [])
  })
  return {
    /** Headers of rate limits, in any response. */
    limits,
    /** Headers of every response of every operation. */
    always: others.filter(isCommon),
    /** Whether the header is one of `always`, or of a rate limit that every response contains. */
    isCommon,
  }
}

/** Headers with the same name may have different meanings in different responses. */
function keyOf({ name, description = '' }: Header): string {
  return `${name.toLowerCase()} ${description}`
}

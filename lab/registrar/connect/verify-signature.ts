// Verifies the signature of a request, as a provider does: by the raw query without `key` and `sig`, and the public key
// in DNS (draft-ietf-dconn-domainconnect, Signature Verification).
import { createPublicKey, verify } from 'node:crypto'
import type { Resolver } from '../../dns/resolver.ts'

/** Why a signature is not accepted; undefined when it is. */
export async function findSignatureProblem(
  resolver: Resolver,
  rawQuery: string,
  keyDomain: string,
  { needsSignatureLast }: { needsSignatureLast: boolean },
): Promise<string | undefined> {
  const parts = rawQuery.split('&')
  const find = (name: string) => parts.filter((part) => part.startsWith(`${name}=`))
  const [key, ...moreKeys] = find('key')
  const [signature, ...moreSignatures] = find('sig')
  if (key === undefined || signature === undefined) return 'The link is not signed.'
  if (moreKeys.length + moreSignatures.length > 0) return 'The link is signed twice.'
  if (needsSignatureLast && parts.at(-1) !== signature)
    return 'The signature is not at the end of the link.'
  const label = decodeURIComponent(key.slice('key='.length))
  if (!/^[a-z0-9_-]{1,63}$/i.test(label)) return 'The name of the key is invalid.'
  const publicKey = await findPublicKey(resolver, `${label}.${keyDomain}`)
  if (!publicKey) return `There is no valid key at ${label}.${keyDomain}.`
  const signed = parts.filter((part) => part !== key && part !== signature).join('&')
  const bytes = Buffer.from(decodeURIComponent(signature.slice('sig='.length)), 'base64')
  const isValid = verify('RSA-SHA256', Buffer.from(signed), publicKey, bytes)
  return isValid ? undefined : 'The signature does not match: the link was changed.'
}

async function findPublicKey(resolver: Resolver, name: string) {
  const { answers } = await resolver.resolve(name.toLowerCase(), 'TXT')
  const pieces = answers.flatMap((record) => {
    if (record.type !== 'TXT') return []
    const text = [record.data].flat().map(String).join('')
    const fields = new Map(
      text.split(',').map((field): [string, string] => {
        const at = field.indexOf('=')
        return [field.slice(0, at).trim(), field.slice(at + 1).trim()]
      }),
    )
    const isSupported = (fields.get('a') ?? 'RS256') === 'RS256'
    return isSupported ? [{ place: Number(fields.get('p')), data: fields.get('d') ?? '' }] : []
  })
  const text = pieces
    .toSorted((a, b) => a.place - b.place)
    .map(({ data }) => data)
    .join('')
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

// Certificate requests (RFC 2986) that the lab's authority is sent.
import { createPublicKey, verify } from 'node:crypto'
import { readHosts } from '#acme/x509/extensions.ts'
import { readElement, readElements, readObjectId } from '#acme/x509/read-der.ts'
import { element, sequence } from '#acme/x509/write-der.ts'

const notRequest = 'not a certificate request'
const extensionRequest = '1.2.840.113549.1.9.14'

/**
 * The public key (SubjectPublicKeyInfo, DER) and the hosts of a certificate request (RFC 2986). Throws RangeError
 * for an invalid request, or one that is not signed by its own key.
 */
export function readRequest(der: Buffer): { publicKey: Buffer; hosts: string[] } {
  const [body, , signature] = readElements(readElement(der, 0x30))
  if (body?.tag !== 0x30 || signature?.tag !== 0x03) throw new RangeError(notRequest)
  const [, , key, attributes] = readElements(body.content)
  if (key?.tag !== 0x30) throw new RangeError(notRequest)
  const publicKey = sequence(key.content)
  const isSigned = verify(
    'sha256',
    element(0x30, body.content),
    createPublicKey({ key: publicKey, format: 'der', type: 'spki' }),
    signature.content.subarray(1),
  )
  if (!isSigned) throw new RangeError('the request is not signed by its key')
  return { publicKey, hosts: readNames(attributes?.content ?? Buffer.alloc(0)) }
}

function readNames(attributes: Buffer): string[] {
  for (const attribute of readElements(attributes)) {
    const [oid, values] = readElements(attribute.content)
    if (!oid || readObjectId(oid.content) !== extensionRequest) continue
    const list = readElement(values?.content ?? Buffer.alloc(0), 0x30)
    const extensions = readElements(list).map(({ content }): [string, Buffer] => {
      const parts = readElements(content)
      const [id, value] = [parts[0], parts.at(-1)].map((part) => part?.content ?? Buffer.alloc(0))
      return [readObjectId(id as Buffer), value as Buffer]
    })
    return readHosts(new Map(extensions)).map((host) => host.toLowerCase())
  }
  return []
}

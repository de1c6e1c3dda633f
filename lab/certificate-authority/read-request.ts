// Reads a certificate request (RFC 2986): whose key, for which hosts, and whether that key signed it.
import { createPublicKey, verify } from 'node:crypto'
import { oids } from '../../server/publishing/acme/x509/extensions.ts'
import {
  readElement,
  readElements,
  readObjectId,
} from '../../server/publishing/acme/x509/read-der.ts'
import { element, sequence } from '../../server/publishing/acme/x509/write-der.ts'

export interface CertificateRequest {
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer
  /** Lower case. */
  hosts: string[]
}

const extensionRequest = '1.2.840.113549.1.9.14'

/** Throws RangeError for what is no request, or is not signed by its own key. */
export function readRequest(der: Buffer): CertificateRequest {
  const [body, , signature] = readElements(readElement(der, 0x30))
  if (body?.tag !== 0x30 || signature?.tag !== 0x03) throw fault()
  const [, , key, attributes] = readElements(body.content)
  if (key?.tag !== 0x30) throw fault()
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
    for (const extension of readElements(list)) {
      const parts = readElements(extension.content)
      if (readObjectId(parts[0]?.content ?? Buffer.alloc(0)) !== oids.subjectAltName) continue
      return readElements(readElement(parts.at(-1)?.content ?? Buffer.alloc(0), 0x30))
        .filter(({ tag }) => tag === 0x82)
        .map(({ content }) => content.toString('latin1').toLowerCase())
    }
  }
  return []
}

function fault(): RangeError {
  return new RangeError('this is no certificate request')
}

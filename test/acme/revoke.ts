// Revokes a certificate, as its owner may do with any client (RFC 8555, section 7.6).
import { X509Certificate } from 'node:crypto'
import { type AcmeSession, ask, post } from '#acme/requests/acme-client.ts'

export async function revoke(session: AcmeSession, chain: string): Promise<void> {
  const { client } = session
  const { body } = await ask(client, 'directory', client.directoryUrl)
  const { revokeCert: url } = JSON.parse(body.toString())
  const certificate = new X509Certificate(chain).raw.toString('base64url')
  await post(session, { operation: 'get order', url, payload: { certificate, reason: 4 } })
}

// Certificates at the authority (RFC 8555, sections 7.4.2 and 7.6): fetched with their chains, and revoked.
import {
  type AcmeAccount,
  type AcmeClient,
  type CallOptions,
  getDirectory,
  parseResponse,
  post,
} from '../requests/acme-client.ts'
import { asUrl } from '../requests/read-response.ts'
import { readChain, tidyChain } from '../x509/certificate-facts.ts'

export interface DownloadedChain {
  /** PEM, the host's certificate first, nothing between. */
  chain: string
  /** Where the same certificate is with other chains, for downloadCertificate. */
  alternateUrls: string[]
}

/** RFC 5280, section 5.3.1, those that authorities take. */
export const revocationReasons = {
  unspecified: 0,
  keyCompromise: 1,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
} as const
export type RevocationReason = keyof typeof revocationReasons

const maxAlternates = 10
const chainType = 'application/pem-certificate-chain'

/** Whether the chain fits key and host is for findChainProblem to say. */
export async function downloadCertificate(
  client: AcmeClient,
  account: AcmeAccount,
  certificateUrl: string,
  options: CallOptions = {},
): Promise<DownloadedChain> {
  const operation = 'download certificate'
  const sent = { operation, url: certificateUrl, accept: chainType, ...options } as const
  const { body, headers } = await post(client, account, sent)
  return parseResponse(operation, () => ({
    chain: tidyChain(body.toString('latin1')),
    alternateUrls: readAlternates([headers.link].flat().join(', '), certificateUrl),
  }))
}

/** Revokes the first certificate of a chain, asked by the account that it was issued to. */
export async function revokeCertificate(
  client: AcmeClient,
  account: AcmeAccount,
  chain: string,
  reason: RevocationReason,
  options: CallOptions = {},
): Promise<void> {
  const { revokeCert: url } = await getDirectory(client, options)
  const [certificate] = readChain(chain)
  const payload = {
    certificate: certificate.raw.toString('base64url'),
    reason: revocationReasons[reason],
  }
  await post(client, account, { operation: 'revoke certificate', url, payload, ...options })
}

/** The targets of Link fields with rel="alternate" (RFC 8288), those that can be fetched. */
function readAlternates(field: string, base: string): string[] {
  const links = field.matchAll(/<([^>]*)>((?:\s*;\s*[A-Za-z*]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g)
  return [...links]
    .filter(([, , parameters = '']) =>
      /;\s*rel\s*=\s*(?:"alternate"|alternate\b)/i.test(parameters),
    )
    .slice(0, maxAlternates)
    .map(([, target = '']) => asUrl(URL.parse(target, base)?.href, 'Link'))
}

// Certificates at the authority (RFC 8555, sections 7.4.2 and 7.6): download and revocation.
import {
  type AcmeSession,
  getDirectory,
  type Post,
  post,
  request,
} from '../requests/acme-client.ts'
import { asUrl } from '../requests/read-response.ts'
import { readChain, tidyChain } from '../x509/certificate-facts.ts'

/** RFC 5280, section 5.3.1, those that authorities accept. */
const revocationReasons = {
  unspecified: 0,
  keyCompromise: 1,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
} as const

const maxAlternates = 10
const chainType = 'application/pem-certificate-chain'

/**
 * `chain`: PEM, the host's certificate first; findChainProblem checks that it fits. `alternateUrls`: the same
 * certificate with other chains, for downloadCertificate.
 */
export async function downloadCertificate(session: AcmeSession, certificateUrl: string) {
  const url = certificateUrl
  const sent: Post = { operation: 'download certificate', url, accept: chainType }
  return await request(session, sent, ({ body, headers }) => ({
    chain: tidyChain(body.toString('latin1')),
    alternateUrls: readAlternates([headers.link].flat().join(', '), certificateUrl),
  }))
}

/** Revokes the first certificate of a chain that was issued to the account. */
export async function revokeCertificate(
  session: AcmeSession,
  chain: string,
  reason: keyof typeof revocationReasons,
): Promise<void> {
  const { revokeCert: url } = await getDirectory(session.client, session)
  const [certificate] = readChain(chain)
  const payload = {
    certificate: certificate.raw.toString('base64url'),
    reason: revocationReasons[reason],
  }
  await post(session, { operation: 'revoke certificate', url, payload })
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

// What the secure listener is told of hosts: which certificate is shown for them, if any.
import type { HostCertificate, HostDirectory } from '../../platform/http/tls/host-directory.ts'
import type { Certificates } from '../certificates/certificates.ts'
import type { FoundHost, HostFinder } from './find-host.ts'

/** Hosts that are suspended show theirs as well: how else could they say so? */
export function hostDirectory(
  hosts: HostFinder,
  { challengeFor, load }: Pick<Certificates, 'challengeFor' | 'load'>,
): HostDirectory {
  const certificateOf = (found: FoundHost | undefined): HostCertificate | undefined => {
    if (!found?.certificate || found.serving === 'off') return undefined
    const { id, load: loadOwn = () => load(id) } = found.certificate
    return { id, load: loadOwn }
  }
  return {
    certificateFor(host) {
      const found = hosts.find(host)
      return found instanceof Promise ? found.then(certificateOf) : certificateOf(found)
    },
    challengeFor,
  }
}

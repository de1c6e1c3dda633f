// What the secure listener is told of hosts: which certificate is shown for them, if any.
import type { HostCertificate, HostDirectory } from '../../platform/http/host-directory.ts'
import type { Certificates } from '../certificates/certificates.ts'
import type { FoundHost, HostFinder } from './find-host.ts'

/** Hosts that are suspended show theirs as well: how else could they say so? */
export function hostDirectory(
  hosts: HostFinder,
  { challengeFor, load }: Pick<Certificates, 'challengeFor' | 'load'>,
  operatorCertificate?: (host: string) => HostCertificate | undefined,
): HostDirectory {
  const certificateOf = (found: FoundHost | undefined): HostCertificate | undefined => {
    const id = found && found.serving !== 'off' ? found.certificate?.id : undefined
    if (!found || id === undefined) return undefined
    const operators = operatorCertificate?.(found.host)
    return operators?.id === id ? operators : { id, load: () => load(id) }
  }
  return {
    certificateFor(host) {
      const found = hosts.find(host)
      return found instanceof Promise ? found.then(certificateOf) : certificateOf(found)
    },
    challengeFor,
  }
}

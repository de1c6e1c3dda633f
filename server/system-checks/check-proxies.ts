// Whether the proxies in front of this program say whom they serve, as far as this process has seen.
import type { Config } from '#kit/config/config.ts'
import type { ForwardedRequests } from '#kit/network/client-addresses.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'

const { ok, skipped, warning } = findingsOf('proxies')

/** `seen`: undefined outside of a server. */
export function checkProxies(
  { trustedProxies }: Pick<Config, 'trustedProxies'>,
  seen: ForwardedRequests | undefined,
): Finding[] {
  const subject = 'TRUSTED_PROXIES'
  if (!seen) {
    return [skipped(subject, 'Only the server sees requests: run the checks on the System page.')]
  }
  const { named, unnamed } = seen
  const unexplained = unnamed.map(({ isTrusted, peer }) =>
    isTrusted
      ? warning(
          peer,
          'This proxy is trusted, but does not send X-Forwarded-For: its clients have no address.',
          'Configure it to send the address of the client in X-Forwarded-For.',
        )
      : warning(
          peer,
          'A proxy forwards requests from here, but is not trusted: its clients have no address.',
          `Add ${peer} to TRUSTED_PROXIES.`,
        ),
  )
  if (unexplained.length > 0) return unexplained
  if (named.length > 0) return [ok(named.join(', '), 'Names the client of each request.')]
  const text = 'No request has come through a proxy since this process started.'
  if (trustedProxies.length === 0) return [ok(subject, text)]
  return [skipped(subject, `${text} TRUSTED_PROXIES is not needed until then.`)]
}

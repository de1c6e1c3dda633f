// D22 and T01 to T03: which server responds to HTTP requests for the host.
import type { Probe } from '../evidence/evidence.ts'
import type { Rule } from './diagnostic.ts'
import type { Reading } from './reading.ts'
import { blocks, listed, warns } from './wording.ts'

type Outcome = Probe['outcome']
type Of<Kind extends Outcome['kind']> = { address: string; outcome: Outcome & { kind: Kind } }

/** When DNS points to us, ignores addresses that only stale caches and late name servers still have. */
function outcomesOf<Kind extends Outcome['kind']>(reading: Reading, kind: Kind): Of<Kind>[] {
  const isKind = (outcome: Outcome): outcome is Outcome & { kind: Kind } => outcome.kind === kind
  const { from, pointers } = reading
  const own = pointers.flatMap((pointer) => (pointer.kind === 'addresses' ? pointer.addresses : []))
  const standing = [...reading.platform.addresses, ...own]
  const isPast = (address: string) =>
    from === 'servers' && isRight(reading) && !standing.includes(address)
  const probes = reading.probes.filter(({ address }) => !isPast(address))
  return probes.flatMap(({ address, outcome }) => (isKind(outcome) ? [{ address, outcome }] : []))
}

/** Whether any of the addresses has this outcome. */
export function hasOutcome(
  reading: Reading,
  addresses: readonly string[],
  kind: Outcome['kind'],
): boolean {
  return outcomesOf(reading, kind).some(({ address }) => addresses.includes(address))
}

/** Only when DNS points to us is another server's answer a separate problem. */
function isRight(reading: Reading): boolean {
  const { state } = reading
  return state === 'right' || state === 'partial'
}

export const otherPlatform: Rule = (reading) => {
  const others = outcomesOf(reading, 'other').filter(
    ({ outcome }) => outcome.platform !== undefined,
  )
  const [first] = others
  if (first === undefined) return undefined
  const { host } = reading.subject
  const platform = first.outcome.platform ?? ''
  const at = listed(others.map(({ address }) => address))
  const detail = isRight(reading)
    ? `DNS points to us, and ${at} answers as ${platform}: it still holds the name.`
    : `${at} answers as ${platform}. It may keep the name after DNS has changed.`
  // Before that, visitors still go there.
  const remove = isRight(reading) ? 'Remove' : 'Once DNS points to us, remove'
  return (isRight(reading) ? blocks : warns)(`${platform} answers for ${host}`, detail, {
    fix: `${remove} ${host} from the project at ${platform} that has it.`,
  })
}

export const noAnswer: Rule = (reading) => {
  const silent = outcomesOf(reading, 'no answer')
  const [first] = silent
  if (first === undefined || !isRight(reading)) return undefined
  const at = listed(silent.map(({ address }) => address))
  const { host: platformHost, addresses } = reading.platform
  const who = silent.every(({ address }) => addresses.includes(address))
    ? `The operator of ${platformHost} has to let port 80`
    : 'Let port 80'
  return blocks(
    `Port 80 of ${at} does not answer`,
    `A request failed: ${first.outcome.reason}. The certificate authority uses this port.`,
    { fix: `${who} through the firewall for everyone. Redirects are fine.` },
  )
}

/** Removes the nonce, which differs in each request and means nothing to a reader. */
const withoutNonce = (location: string) =>
  location.replace(/(\/\.well-known\/animal-store\/).*/, '$1…')

export const redirectLoop: Rule = (reading) => {
  const byProxy = reading.pointers.flatMap((pointer) =>
    pointer.kind === 'addresses' && pointer.pointsTo.kind === 'proxy fails'
      ? pointer.pointsTo.at
      : [],
  )
  const loops = outcomesOf(reading, 'redirect loop').filter(
    // D21 reports the loops of known proxies.
    ({ address }) => !byProxy.includes(address),
  )
  const [first] = loops
  if (first === undefined) return undefined
  return blocks(
    `${reading.subject.host} redirects in a loop`,
    `${listed(loops.map(({ address }) => address))} sends the request back to ${withoutNonce(first.outcome.location)}. ` +
      'A proxy that talks plain HTTP to us ("flexible" TLS) does that, or your own redirect rule.',
    { fix: 'Set the TLS mode of the proxy to "Full (strict)", or remove the redirect rule.' },
  )
}

export const otherAnswer: Rule = (reading) => {
  const others = outcomesOf(reading, 'other').filter(
    ({ outcome }) => outcome.platform === undefined,
  )
  const [first] = others
  if (first === undefined || !isRight(reading)) return undefined
  const { location, server, status } = first.outcome
  const who =
    server === undefined ? 'It does not identify itself.' : `It identifies itself as "${server}".`
  const to = location === undefined ? '' : ` (a redirect to ${location})`
  return blocks(
    `Another server answers for ${reading.subject.host}`,
    `${listed(others.map(({ address }) => address))} answered ${status}${to} instead of our file. ${who}`,
    {
      fix: 'Let the proxy or firewall in front of us forward /.well-known/, or remove it.',
    },
  )
}

// D22 and T01 to T03: what answers when the host is asked over HTTP.
import type { Evidence, Probe } from '../evidence/evidence.ts'
import { readEvidence } from './reading.ts'
import type { Rule } from './rule.ts'
import { listed, mend, say } from './wording.ts'

type Outcome = Probe['outcome']
type Of<Kind extends Outcome['kind']> = { address: string; outcome: Outcome & { kind: Kind } }

/** Of an address that only old caches know, an answer says nothing: where DNS points to us it is passed over. */
function outcomesOf<Kind extends Outcome['kind']>(evidence: Evidence, kind: Kind): Of<Kind>[] {
  const isKind = (outcome: Outcome): outcome is Outcome & { kind: Kind } => outcome.kind === kind
  const { heard, from } = readEvidence(evidence)
  const own = heard.flatMap(({ pointer }) =>
    pointer.kind === 'addresses' ? pointer.addresses : [],
  )
  const standing = [...evidence.platform.addresses, ...own]
  const isPast = (address: string) =>
    from === 'servers' && isRight(evidence) && !standing.includes(address)
  const probes = evidence.probes.filter(({ address }) => !isPast(address))
  return probes.flatMap(({ address, outcome }) => (isKind(outcome) ? [{ address, outcome }] : []))
}

/** Whether any of the addresses answered so. */
export function hasOutcome(
  evidence: Evidence,
  addresses: readonly string[],
  kind: Outcome['kind'],
): boolean {
  return outcomesOf(evidence, kind).some(({ address }) => addresses.includes(address))
}

/** Only where DNS points to us is an answer of others a fault of its own. */
function isRight(evidence: Evidence): boolean {
  const { state } = readEvidence(evidence)
  return state === 'right' || state === 'partial'
}

const otherPlatform: Rule = {
  code: 'D22',
  judge(evidence) {
    const others = outcomesOf(evidence, 'other').filter(
      ({ outcome }) => outcome.platform !== undefined,
    )
    const [first] = others
    if (first === undefined) return undefined
    const { host } = evidence.subject
    const platform = first.outcome.platform ?? ''
    const at = listed(others.map(({ address }) => address))
    const detail = isRight(evidence)
      ? `DNS points to us, and ${at} answers as ${platform}: it still holds the name.`
      : `${at} answers as ${platform}. It may go on holding the name after DNS has changed.`
    return say(
      'D22',
      isRight(evidence) ? 'blocks' : 'warns',
      `${platform} answers for ${host}`,
      detail,
      {
        fix: mend(`Remove ${host} from the project at ${platform} that has it.`),
      },
    )
  },
}

const noAnswer: Rule = {
  code: 'T01',
  judge(evidence) {
    const silent = outcomesOf(evidence, 'no answer')
    const [first] = silent
    if (first === undefined || !isRight(evidence)) return undefined
    const at = listed(silent.map(({ address }) => address))
    const { host: platformHost, addresses } = evidence.platform
    const who = silent.every(({ address }) => addresses.includes(address))
      ? `The operator of ${platformHost} has to let port 80`
      : 'Let port 80'
    return say(
      'T01',
      'blocks',
      `Port 80 of ${at} does not answer`,
      `A request failed: ${first.outcome.reason}. The certificate authority uses this port.`,
      { fix: mend(`${who} through the firewall for everyone. Redirects are fine.`) },
    )
  },
}

/** Each request has another, and none means anything to a reader. */
const withoutNonce = (location: string) =>
  location.replace(/(\/\.well-known\/animal-store\/).*/, '$1…')

const redirectLoop: Rule = {
  code: 'T02',
  judge(evidence) {
    const byProxy = readEvidence(evidence).pointers.flatMap((pointer) =>
      pointer.kind === 'addresses' && pointer.lead.kind === 'proxy fails' ? pointer.lead.at : [],
    )
    const loops = outcomesOf(evidence, 'redirect loop').filter(
      // Of a proxy that is known, D21 has said it.
      ({ address }) => !byProxy.includes(address),
    )
    const [first] = loops
    if (first === undefined) return undefined
    return say(
      'T02',
      'blocks',
      `${evidence.subject.host} redirects in a loop`,
      `${listed(loops.map(({ address }) => address))} sends the request back to ${withoutNonce(first.outcome.location)}. ` +
        'A proxy that talks plain HTTP to us ("flexible" TLS) does that, or a rule of one\'s own.',
      {
        fix: mend('Set the TLS mode of the proxy to "Full (strict)", or remove the redirect rule.'),
      },
    )
  },
}

const otherAnswer: Rule = {
  code: 'T03',
  judge(evidence) {
    const others = outcomesOf(evidence, 'other').filter(
      ({ outcome }) => outcome.platform === undefined,
    )
    const [first] = others
    if (first === undefined || !isRight(evidence)) return undefined
    const { location, server, status } = first.outcome
    const who =
      server === undefined ? 'It does not say what it is.' : `It calls itself "${server}".`
    const to = location === undefined ? '' : ` (a redirect to ${location})`
    return say(
      'T03',
      'blocks',
      `Another server answers for ${evidence.subject.host}`,
      `${listed(others.map(({ address }) => address))} answered ${status}${to} instead of our file. ${who}`,
      {
        fix: mend(
          'Let what stands in front pass /.well-known/ on to us, or remove it from the way of this name.',
        ),
      },
    )
  },
}

export const probeRules = { otherPlatform, noAnswer, redirectLoop, otherAnswer }

// Runs transfer show, offer, accept, decline and cancel over the management API: see projects-client.ts.
import { parseEmail } from '../../platform/accounts/email-address.ts'
import { CommandError, formatMinute, type Input, print } from '../command-line/command.ts'
import { type Call, withLocalProjects, withProjects } from './projects-client.ts'

export async function show(input: Input): Promise<undefined> {
  const { slug } = namesOf(input)
  const { offer, owner } = await withProjects(input, (call) => findOffer(call, slug))
  const lines = [`Owner: ${owner?.email ?? 'all operators'}`]
  if (offer) lines.push(`Offered to ${offer.email} until ${untilOf(offer)}`)
  print(input, { owner, offer: offer ?? null }, lines.join('\n'))
}

export async function offer(input: Input): Promise<undefined> {
  const { email, slug } = namesOf(input)
  const { effects, offered } = await withLocalProjects(async (call) => {
    const { items } = await call('GET /projects/{slug}/members', { params: { slug } })
    const member = items.find((one) => keyOf(one.email) === keyOf(email))
    if (!member) throw new CommandError(`${email} is not a member of ${slug}: invite it first`)
    const params = { slug, accountId: member.accountId }
    const route = '/projects/{slug}/members/{accountId}/transfer'
    const offered = await call(`POST ${route}`, { params })
    return { offered, effects: await call(`GET ${route}`, { params }) }
  })
  const { suspendedDomains } = effects
  const text = `${slug} is offered to ${offered.email} until ${untilOf(offered)}.`
  const lines = [text, ...suspensionLines('would suspend', suspendedDomains)]
  print(input, { ...offered, suspendedDomains }, lines.join('\n'))
}

export async function accept(input: Input): Promise<undefined> {
  const { email, slug } = namesOf(input)
  const suspendedDomains = await withLocalProjects(async (call) => {
    const { id, transfer } = await getReceived(call, slug, email)
    const params = { invitationId: id }
    await call('POST /account/project-invitations/{invitationId}/accept', { params })
    return transfer?.suspendedDomains ?? []
  }, email)
  const lines = [`${email} owns ${slug} now.`, ...suspensionLines('suspends', suspendedDomains)]
  print(input, { project: slug, owner: email, suspendedDomains }, lines.join('\n'))
}

export async function decline(input: Input): Promise<undefined> {
  const { email, slug } = namesOf(input)
  await withLocalProjects(async (call) => {
    const { id } = await getReceived(call, slug, email)
    const params = { invitationId: id }
    await call('DELETE /account/project-invitations/{invitationId}', { params })
  }, email)
  print(input, { project: slug, declined: true }, `The offer of ${slug} is declined.`)
}

export async function cancel(input: Input): Promise<undefined> {
  const { slug } = namesOf(input)
  await withLocalProjects(async (call) => {
    const { offer } = await findOffer(call, slug)
    if (!offer) throw new CommandError(`${slug} is not offered to anyone`)
    const params = { slug, invitationId: offer.id }
    await call('DELETE /projects/{slug}/invitations/{invitationId}', { params })
  })
  print(input, { project: slug, canceled: true }, `The offer of ${slug} is canceled.`)
}

/** Only the owner and operators see the offer. */
async function findOffer(call: Call, slug: string) {
  const { invitations, owner } = await call('GET /projects/{slug}/members', { params: { slug } })
  return { owner, offer: invitations.find(({ role }) => role === 'owner') }
}

/** The offer that the account has received. */
async function getReceived(call: Call, slug: string, email: string) {
  const { items } = await call('GET /account/project-invitations')
  const found = items.find(({ project, role }) => role === 'owner' && project.slug === slug)
  if (!found) throw new CommandError(`${slug} is not offered to ${email}`)
  return found
}

const keyOf = (email: string): string | undefined => parseEmail(email)?.key
const untilOf = ({ expiresAt }: { expiresAt: string }): string =>
  `${formatMinute(Date.parse(expiresAt))} (UTC)`

function suspensionLines(verb: string, hosts: string[]): string[] {
  return hosts.length === 0
    ? []
    : [`The plan of the new owner ${verb} these domains:`, ...hosts.map((host) => `  ${host}`)]
}

function namesOf({ operands: [email = ''], options }: Input) {
  return { email, slug: options.project ?? '' }
}

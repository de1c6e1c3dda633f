// The authorization matrix of the management API: each declared operation is requested by each kind of caller, and the
// result is compared with the decision that is written down here. An operation without a decision fails.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TokenScope, tokenScopes } from '#kit/caller.ts'
import { turnOnOneTimeCodes } from '../accounts/one-time-codes.ts'
import { isLong } from '../cases.ts'
import { anyEngine } from '../database.ts'
import {
  type Person,
  type PublishingInTest,
  password,
  startPublishing,
} from '../publishing/publishing-in-test.ts'

/**
 * `open`: everybody; `account`: any account, for what is its own; `viewer`: members of the project, its owner and
 * operators; `editor`: the same without viewers; `owner`: the project's owner and operators; `operator`: operators. After
 * the slash: the scope of an access token; without one, only a session is accepted.
 */
type Audience = 'open' | 'account' | 'viewer' | 'editor' | 'owner' | 'operator'
type Decision = Audience | `${Audience}/${TokenScope}`

const decided: Partial<Record<Decision, string>> = {
  open: `checkLink setUp acceptInvitation resetPassword signIn signOut confirmEmail
    startPasskeySignIn signInByPasskey getProvider startProviderSignIn signInByProvider
    confirmProviderSignIn`,
  account: `listIdentities startIdentity connectIdentity removeIdentity setFirstPassword
    getSession getAccount changeAccount changePassword listSessions endSession endOtherSessions
    listTokens createToken revokeToken revokeTokens getSecondFactor startCodeSetUp
    confirmCodeSetUp createRecoveryCodes removeOwnSecondFactor startPasskey addPasskey
    listPasskeys removePasskey getEmailConfirmation sendEmailConfirmation cancelEmailChange
    listOwnAudit exportOwnAudit listReceivedInvitations acceptProjectInvitation
    declineProjectInvitation`,
  operator: `listAudit exportAudit getSystem getSystemChecks getSystemHistory listAccounts
    changeStanding removeAccount createPasswordLink removeSecondFactor listInvitations
    createInvitation revokeInvitation createApiKey changeApiKey rotateApiKey`,
  'account/projects:read': `listProjects searchProjects getStorage listAllDomains readHostname
    checkDomain`,
  'account/projects:write': 'createProject',
  'viewer/projects:read': `getProject getVisits listDeploys getDeploy getDeployReport
    getSiteSettings getSiteImage listProjectMembers listPreviews listDomains getDomain
    getDomainEvidence getDomainSwitch getDomainConnect getDomainConfiguration getDomainWebhook
    listDomainEvents followDomainEvents listEventsOfDomain`,
  'editor/projects:write': 'changeProject setSiteSettings setSiteImage removeSiteImage',
  owner: `deleteProject setVisibility changeProjectMember removeProjectMember
    createProjectInvitation revokeProjectInvitation getTransferEffects offerProject`,
  viewer: 'enterSite',
  editor: 'listDeployTokens createDeployToken revokeDeployToken',
  'editor/deploys:write': `findMissingFiles uploadFile createDeploy deployArchive restoreDeploy
    putPreview promotePreview endPreview`,
  'editor/domains:write': `startDomainConnect addDomain changeDomain verifyDomain removeDomain
    setDomainConfiguration setDomainWebhook removeDomainWebhook testDomainWebhook`,
  // The state in the body decides: it belongs to one account and one session.
  'account/domains:write': 'finishDomainConnect',
  'operator/store:read': `listPets getPet listCategories getCategory listOrders getOrder
    exportAnimals listWebhooks listDeliveries getEnvironment listApiKeys searchStore`,
  'operator/store:write': `createPet updatePet deletePet importAnimals changeAnimals deleteAnimals
    createCategory renameCategory deleteCategory placeOrder approveOrder deliverOrder cancelOrder
    createWebhook changeWebhook deleteWebhook testWebhook rotateWebhookSecret redeliver
    resetStaging revokeApiKey`,
}
const decisions = Object.fromEntries(
  Object.entries(decided).flatMap(([decision, ids]) =>
    ids.split(/\s+/).map((id) => [id, decision as Decision] as const),
  ),
)

/** What a session without the required second factor can do, besides what is open. */
const forEnrolment = new Set([
  ...'getSession getAccount getSecondFactor startCodeSetUp confirmCodeSetUp'.split(' '),
  ...'startPasskey addPasskey listPasskeys listIdentities setFirstPassword'.split(' '),
])

/** What a deploy token can do, in its project. */
const forDeployTokens = new Set([
  ...'listDeploys getDeploy findMissingFiles uploadFile createDeploy deployArchive'.split(' '),
  ...'listPreviews putPreview endPreview getDeployReport'.split(' '),
])

const slug = 'docs'
const params: Record<string, string> = {
  slug,
  host: 'docs.example.net',
  hash: '0'.repeat(64),
  number: '999',
  preview: 'branch',
  image: 'logo',
  environment: 'staging',
}
/** Valid bodies, where an invalid one would be refused before the project is looked up. */
const bodies: Record<string, unknown> = {
  changeProject: { name: 'Docs' },
  addDomain: { host: params.host },
  changeDomain: { prepare: true },
  setDomainConfiguration: { primary: null, redirects: [] },
  setDomainWebhook: { url: 'https://hooks.example.com/domains' },
  findMissingFiles: { hashes: [params.hash] },
  createDeployToken: { label: 'CI' },
  createProjectInvitation: { email: 'guest@example.com', role: 'editor' },
  changeProjectMember: { role: 'viewer' },
  putPreview: {},
  setSiteSettings: {
    ...{ title: null, description: null, colour: null, logo: null, favicon: null },
    ...{ navigation: [], redirects: '' },
  },
  setVisibility: { visibility: 'members' },
  enterSite: { host: `${slug}.docs.localhost`, state: '0'.repeat(64) },
  createDeploy: { files: [{ path: 'index.html', hash: params.hash }] },
}
const bytes = new Set(['uploadFile', 'deployArchive', 'setSiteImage'])

/** They end tokens and the session of their caller: requested last, by tokens before sessions. */
const lastOnes = ['revokeTokens', 'signOut']

/** The codes of responses that refuse the caller. Every other response means that the caller is authorized. */
const refusals = [
  'not_signed_in',
  'insufficient_scope',
  'second_factor_missing',
  'operator_only',
  'project_not_found',
  'role_required',
]

interface Caller {
  name: string
  role: 'none' | 'owner' | 'editor' | 'viewer' | 'stranger' | 'operator'
  /** Undefined for a session. */
  scopes?: readonly TokenScope[]
  /** Of a deploy token: whether it is of the requested project. */
  isOfProject?: boolean
  /** The required second factor is missing. */
  isRestricted?: true
  /** It is no credential of this API. */
  isSiteToken?: true
  headers(): Record<string, string>
}

function expected(id: string, decision: Decision, caller: Caller): string {
  const { isOfProject, isRestricted, isSiteToken, role, scopes } = caller
  if (isSiteToken) return 'invalid_token'
  const [audience, scope] = decision.split('/') as [Audience, TokenScope | undefined]
  if (audience === 'open') return 'authorized'
  if (role === 'none') return 'not_signed_in'
  if (isRestricted) return forEnrolment.has(id) ? 'authorized' : 'second_factor_missing'
  if (isOfProject !== undefined)
    return isOfProject && forDeployTokens.has(id) ? 'authorized' : 'insufficient_scope'
  if (scopes && !scopes.some((one) => one === scope)) return 'insufficient_scope'
  if (audience === 'operator' && role !== 'operator') return 'operator_only'
  const ofProject = ['viewer', 'editor', 'owner'].indexOf(audience)
  if (ofProject < 0 || role === 'operator') return 'authorized'
  if (role === 'stranger') return 'project_not_found'
  if (['viewer', 'editor', 'owner'].indexOf(role) < ofProject) return 'role_required'
  return 'authorized'
}

let publishing: PublishingInTest
let owner: Person
let editor: Person
let viewer: Person
let stranger: Person
let callers: Caller[]
/** Created again with the project. */
const deployTokens = { own: '', other: '', site: '' }
let operations: { id: string; method: string; path: string }[]

beforeAll(async () => {
  const env = { REQUIRE_SECOND_FACTOR: 'operators' }
  publishing = await startPublishing(anyEngine[0] ?? 'sqlite', { env })
  const { operator } = publishing
  await turnOnOneTimeCodes(publishing.store, operator)
  owner = await publishing.member('paid')
  stranger = await publishing.member('paid')
  const restricted = await publishing.member()
  await operator.patch(`/accounts/${restricted.account.id}`, { role: 'operator' })
  editor = await publishing.member()
  viewer = await publishing.member()
  await owner.create('other')
  await ensureProject()
  const deployToken = (name: keyof typeof deployTokens) => ({
    role: 'owner' as const,
    headers: () => ({ authorization: `Bearer ${deployTokens[name]}` }),
  })
  callers = [
    { name: 'nobody', role: 'none', headers: () => ({}) },
    ...(await callersOf('owner', owner)),
    { name: 'owner, deploy token', isOfProject: true, ...deployToken('own') },
    { name: 'owner, deploy token of another', isOfProject: false, ...deployToken('other') },
    { name: 'owner, site token', isSiteToken: true, ...deployToken('site') },
    ...(await callersOf('editor', editor)),
    ...(await callersOf('viewer', viewer)),
    ...(await callersOf('stranger', stranger)),
    ...(await callersOf('operator', operator)),
    {
      name: 'operator, session without the required second factor',
      role: 'operator',
      isRestricted: true,
      headers: () => ({ cookie: restricted.cookie() }),
    },
  ]
  const { paths } = (await publishing.anonymous('/openapi.json')).json as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({ id, method, path })),
  )
  operations = all.toSorted((a, b) => lastOnes.indexOf(a.id) - lastOnes.indexOf(b.id))
})
afterAll(() => publishing.release())

async function callersOf(role: Caller['role'], person: Person): Promise<Caller[]> {
  const withScopes = async (name: string, scopes: readonly TokenScope[]): Promise<Caller> => {
    const authorization = `Bearer ${await person.token([...scopes])}`
    return { name: `${role}, ${name}`, role, scopes, headers: () => ({ authorization }) }
  }
  const session: Caller = {
    name: `${role}, session`,
    role,
    headers: () => ({ cookie: person.cookie() }),
  }
  // A token that lacks a scope is refused before the role is looked up: one role shows it.
  const single = isLong || role === 'operator' ? tokenScopes : []
  return [
    session,
    await withScopes('all scopes', tokenScopes),
    ...(await Promise.all(single.map((scope) => withScopes(scope, [scope])))),
  ]
}

/** Returns `authorized`, or the code that refuses the caller. */
async function outcome({ id, method, path }: (typeof operations)[number], caller: Caller) {
  const { dashboardUrl, httpPort } = publishing.store.running.config
  const body = bytes.has(id) ? Buffer.from('no archive') : jsonOf(bodies[id])
  const type = bytes.has(id) ? 'application/octet-stream' : 'application/json'
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x')
  const sent = request({
    ...{ host: '127.0.0.1', port: httpPort, agent: false },
    method: method.toUpperCase(),
    path: `/api${target}${id === 'deleteProject' ? `?name=${slug}` : ''}`,
    headers: {
      ...{ host: dashboardUrl.host, origin: dashboardUrl.origin },
      ...(body && { 'content-type': type, 'content-length': body.length }),
      ...caller.headers(),
    },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    response.destroy()
    return 'authorized'
  }
  const answer = await text(response)
  if (Number(response.statusCode) >= 500) return `${response.statusCode}: ${answer}`
  const codes = caller.isSiteToken ? ['invalid_token'] : refusals
  const code = codes.find((refusal) => answer.includes(`"${refusal}"`))
  return code ?? 'authorized'
}

function jsonOf(body: unknown): Buffer | undefined {
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body))
}

it('has a decision for each operation, and none for others', () => {
  expect(Object.keys(decisions).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
})

it('finds nothing of another account or project by its id', async () => {
  await ensureProject()
  await stranger.create('strange')
  const host = 'docs.example.net'
  const items = async (path: string) =>
    await owner.read<{ items: { id: string }[]; invitations: { id: string }[] }>(path)
  await owner.deployFolder(slug, { 'index.html': 'x' })
  await owner.put(`/projects/${slug}/previews/branch`, {})
  await owner.post(`/projects/${slug}/domains`, { host })
  await owner.post(`/projects/${slug}/invitations`, bodies.createProjectInvitation)
  await owner.token()
  const id = async (path: string) => (await items(path)).items[0]?.id
  const [deployTokenId, tokenId, sessionId] = [
    await id(`/projects/${slug}/tokens`),
    await id('/account/tokens'),
    await id('/account/sessions'),
  ]
  const invitationId = (await items(`/projects/${slug}/members`)).invitations[0]?.id
  const named = { sessionId, invitationId, host, accountId: editor.account.id, number: '1' }
  expect([deployTokenId, tokenId, sessionId, invitationId]).not.toContain(undefined)
  const children = operations.filter(({ id, path }) => {
    const isOfMany = /\{(?!slug|environment|image|hash)/.test(path)
    // A preview of the project itself is made, or ended if there is one.
    const isOwn = ['putPreview', 'endPreview'].includes(id)
    return isOfMany && !isOwn && !decisions[id]?.startsWith('operator')
  })
  const outcomes: string[] = []
  for (const { id, method, path } of children) {
    const ids: Record<string, string | undefined> = {
      ...{ ...params, ...named, slug: 'strange' },
      tokenId: path.startsWith('/projects') ? deployTokenId : tokenId,
    }
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'x')
    const body = id === 'removePasskey' ? { currentPassword: password } : bodies[id]
    const asked = { method: method.toUpperCase(), ...(body === undefined ? {} : { body }) }
    const { status } = await stranger.ask(target, asked)
    if (status !== 404) outcomes.push(`${id}: ${status}`)
  }
  expect(children.length).toBeGreaterThan(20)
  expect(outcomes).toEqual([])
})

it('answers each kind of caller as decided', async () => {
  const wrong: string[] = []
  for (const operation of operations) {
    const inOrder = lastOnes.includes(operation.id) ? callers.toReversed() : callers
    for (const caller of inOrder) {
      if (operation.id === 'deleteProject') await ensureProject()
      const found = await outcome(operation, caller)
      const right = expected(operation.id, decisions[operation.id] ?? 'operator', caller)
      if (found !== right) wrong.push(`${operation.id} by ${caller.name}: ${found}, not ${right}`)
    }
  }
  expect(wrong).toEqual([])
})

async function ensureProject(): Promise<void> {
  if ((await owner.ask(`/projects/${slug}`)).status !== 404) return
  await owner.create(slug)
  await owner.addMember(slug, editor, 'editor')
  await owner.addMember(slug, viewer, 'viewer')
  await owner.put(`/projects/${slug}/visibility`, { visibility: 'members' })
  await createDeployTokens()
}

async function createDeployTokens(): Promise<void> {
  deployTokens.own = await owner.deployToken(slug)
  deployTokens.other = await owner.deployToken('other')
  const body = { label: 'checker', scope: 'site:read' }
  const made = await owner.post(`/projects/${slug}/tokens`, body)
  deployTokens.site = (made.json as { token: string }).token
}

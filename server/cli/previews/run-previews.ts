// Runs previews list, promote, password and end over the management API: see previews-client.ts.
import { type Input, print, readText, UsageError } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { withPreviews } from './previews-client.ts'

const route = '/projects/{slug}/previews/{preview}'

export async function list(input: Input): Promise<number> {
  const { slug } = namesOf(input)
  return await withPreviews(input, async (call) => {
    const found = await call('GET /projects/{slug}/previews', { params: { slug } })
    const rows = found.items.map(({ address, deploy, expiresAt, hasPassword, name }) => [
      name,
      address,
      deploy === null ? '-' : String(deploy),
      hasPassword ? 'yes' : 'no',
      expiresAt.slice(0, 16).replace('T', ' '),
    ])
    const table = columns([['NAME', 'ADDRESS', 'DEPLOY', 'PASSWORD', 'EXPIRES (UTC)'], ...rows])
    const none = `${slug} has no previews.`
    print(input, found, rows.length > 0 ? table.trimEnd() : none)
    return 0
  })
}

export async function promote(input: Input): Promise<number> {
  const { preview, slug } = namesOf(input)
  return await withPreviews(input, async (call) => {
    const deploy = await call(`POST ${route}/promote`, { params: { slug, preview } })
    print(input, deploy, `Deploy ${deploy.number} is live. The preview ${preview} has ended.`)
    return 0
  })
}

export async function password(input: Input): Promise<number> {
  const { preview, slug } = namesOf(input)
  const { 'password-file': file, remove } = input.options
  if ((file === undefined) === (remove === undefined)) {
    throw new UsageError('give either --password-file or --remove')
  }
  const body = { password: file === undefined ? null : readPassword(file) }
  return await withPreviews(input, async (call) => {
    const changed = await call(`PUT ${route}`, { params: { slug, preview }, body })
    const text = changed.hasPassword
      ? `Visitors of ${changed.address} have to enter the password.`
      : `Everyone with the address ${changed.address} can see the preview.`
    print(input, changed, text)
    return 0
  })
}

export async function end(input: Input): Promise<number> {
  const { preview, slug } = namesOf(input)
  return await withPreviews(input, async (call) => {
    await call(`DELETE ${route}`, { params: { slug, preview } })
    print(input, { preview, ended: true }, `The preview ${preview} has ended.`)
    return 0
  })
}

/** The first line of a file. */
export function readPassword(file: string): string {
  return readText(file).split(/\r?\n/, 1)[0] ?? ''
}

function namesOf({ operands: [preview = ''], options }: Input) {
  return { preview, slug: options.project ?? '' }
}

// domains config: which domain of a project is the primary, and which ones redirect; shown, or set from a file.
import type { Configuration } from '../../publishing/domains/configuration/configuration.ts'
import { CommandError, type Input, print } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { readText } from '../command-line/read-text.ts'
import { onDomains } from './on-domains.ts'

/** Runs the command: see domains.ts. */
export async function runDomainsConfig(input: Input): Promise<number> {
  const params = { slug: input.operands[0] ?? '' }
  const { file } = input.options
  const body = file === undefined ? undefined : configurationIn(file)
  return await onDomains(input, async (call) => {
    const configuration = body
      ? await call('PUT /projects/{slug}/domain-configuration', { params, body })
      : await call('GET /projects/{slug}/domain-configuration', { params })
    const { items } = await call('GET /projects/{slug}/domains', { params })
    const hosts = items.map(({ host }) => host)
    print(input, configuration, configurationText(configuration, hosts, params.slug))
    return 0
  })
}

function configurationIn(file: string): Configuration {
  const text = readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    const name = file === '-' ? 'standard input' : file
    throw new CommandError(`${name} is not JSON: ${(error as Error).message}`)
  }
}

function configurationText(
  { primary, redirects }: Configuration,
  hosts: readonly string[],
  slug: string,
): string {
  if (hosts.length === 0) return `No domains yet: animal-store domains add NAME --project ${slug}`
  const rows = hosts.map((host) => {
    const redirect = redirects.find(({ from }) => from === host)
    if (redirect) return [host, `redirects to ${redirect.to} (${redirect.status})`]
    return [host, host === primary ? 'serves the site: the primary' : 'serves the site']
  })
  return columns([['HOST', 'VISITORS'], ...rows]).trimEnd()
}

// Runs visibility show and set over the management API: see projects-client.ts.
import type { Project } from '../../publishing/projects/schema.ts'
import { visibilities } from '../../publishing/projects/visibilities.ts'
import { type Input, print, readChoice, UsageError } from '../command-line/command.ts'
import { readPassword } from '../previews/run-previews.ts'
import { withLocalProjects, withProjects } from './projects-client.ts'

export async function show(input: Input): Promise<undefined> {
  const params = { slug: input.options.project ?? '' }
  printVisibility(
    input,
    await withProjects(input, (call) => call('GET /projects/{slug}', { params })),
  )
}

export async function set(input: Input): Promise<undefined> {
  const { 'password-file': file, project: slug = '' } = input.options
  const visibility = readChoice(visibilities, input.operands[0] ?? '', 'the visibility')
  if (file !== undefined && visibility !== 'password') {
    throw new UsageError('--password-file is only for the visibility password')
  }
  const body = { visibility, ...(file !== undefined && { password: readPassword(file) }) }
  const changed = await withLocalProjects((call) =>
    call('PUT /projects/{slug}/visibility', { params: { slug }, body }),
  )
  printVisibility(input, changed)
}

function printVisibility(input: Input, { address, slug, visibility }: Project): void {
  const text = {
    public: `Everyone can see ${address}.`,
    password: `Visitors of ${address} have to enter the password.`,
    members: `Only members of the project can see ${address}.`,
  }[visibility]
  print(input, { slug, visibility, address }, text)
}

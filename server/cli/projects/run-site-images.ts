// Runs site-settings upload and remove-upload over the management API: see projects-client.ts.
import { imageNames } from '../../publishing/site-images/records/image-types.ts'
import { type Input, print, readBytes, readChoice } from '../command-line/command.ts'
import { withProjects } from './projects-client.ts'

const route = '/projects/{slug}/site-images/{image}'
const type = 'application/octet-stream'

export async function upload(input: Input): Promise<undefined> {
  const { image, params } = namesOf(input)
  const bytes = readBytes(input.operands[1] ?? '')
  const saved = await withProjects(input, (call) =>
    call(`PUT ${route}`, { params, upload: bytes, type }),
  )
  const { height, type: format, width } = saved.image
  const size = width === null ? '' : `, ${width} × ${height} pixels`
  const facts = `${format.toUpperCase()}${size}`
  print(input, saved, `The ${image} is uploaded (${facts}). ${appliedBy(saved.deploy)}`)
}

export async function remove(input: Input): Promise<undefined> {
  const { image, params } = namesOf(input)
  const removed = await withProjects(input, (call) => call(`DELETE ${route}`, { params }))
  print(input, removed, `The uploaded ${image} is removed. ${appliedBy(removed.deploy)}`)
}

function namesOf({ operands, options }: Input) {
  const image = readChoice(imageNames, operands[0] ?? '', 'the image')
  return { image, params: { slug: options.project ?? '', image } }
}

function appliedBy(deploy: number | null): string {
  return deploy === null ? 'The first deploy applies it.' : `Deploy ${deploy} applies it.`
}

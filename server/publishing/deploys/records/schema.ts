// The wire shapes of deploys.
import { type Static, Type } from 'typebox'

export const deployStates = ['uploaded', 'building', 'live', 'superseded', 'failed'] as const
export type DeployState = (typeof deployStates)[number]

export const Deploy = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Counts the deploys of the project.' }),
    state: Type.Enum([...deployStates], {
      type: 'string',
      description:
        'uploaded: waits to be built. building. live: what visitors see. superseded: was live, or was overtaken, and can be restored. failed: see failure.',
    }),
    kind: Type.Union([Type.Enum(['ready', 'rendered'], { type: 'string' }), Type.Null()], {
      description: 'ready: served as it was sent. rendered: made of Markdown. Null until known.',
    }),
    source: Type.Enum(['archive', 'folder', 'built_in'], {
      type: 'string',
      description: 'How it came: an archive, a folder by its files, or with the program.',
    }),
    createdBy: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the account. Null where it was the program or its command line.',
    }),
    createdAt: Type.String({ format: 'date-time' }),
    finishedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    sourceFiles: Type.Integer({ minimum: 0, description: 'Files that were sent.' }),
    sourceBytes: Type.Integer({ minimum: 0 }),
    siteFiles: Type.Integer({
      minimum: 0,
      description: 'Files that are published; while it is building, those that are ready.',
    }),
    siteBytes: Type.Integer({ minimum: 0 }),
    failure: Type.Union(
      [
        Type.Object({
          message: Type.String({ description: 'What is wrong, and how to mend it.' }),
          file: Type.Union([Type.String(), Type.Null()], { description: 'The file it is in.' }),
          line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
        }),
        Type.Null(),
      ],
      { description: 'Why it failed; null unless it did.' },
    ),
  },
  { $id: 'Deploy', description: 'One deploy of a project.' },
)
export type Deploy = Static<typeof Deploy>

export const Deploys = Type.Object(
  {
    items: Type.Array(Deploy, { maxItems: 100 }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The `before` of the next page; null at the end.',
    }),
  },
  { $id: 'Deploys', description: 'Deploys, newest first.' },
)
export type Deploys = Static<typeof Deploys>

export const ListDeploysQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'At most so many.' }),
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only deploys with a smaller number.' }),
  ),
})

export const GetDeployQuery = Type.Object({
  wait: Type.Integer({
    minimum: 0,
    maximum: 25,
    default: 0,
    description:
      'Seconds to wait for a change when the deploy is still uploaded or building, and as `after` says.',
  }),
  after: Type.Optional(
    Type.String({
      maxLength: 60,
      description:
        'State and siteFiles as last seen, such as building:12. Without it one waits for the end.',
    }),
  ),
})

const hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  'x-pattern-message': 'must be a SHA-256 in 64 lower-case hexadecimal digits',
  description: 'SHA-256 of the content, in lower-case hexadecimal.',
})

/** Files of one deploy; the plan may allow fewer. */
export const maxFiles = 20_000

export const NewDeploy = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        path: Type.String({
          minLength: 1,
          maxLength: 1024,
          description: 'Relative to the folder.',
        }),
        hash,
      }),
      { minItems: 1, maxItems: maxFiles },
    ),
  },
  { $id: 'NewDeploy', description: 'A folder, by its files. All must have been uploaded.' },
)
export type NewDeploy = Static<typeof NewDeploy>

export const FileHashes = Type.Object(
  { hashes: Type.Array(hash, { maxItems: maxFiles }) },
  { $id: 'FileHashes', description: 'Files by their content.' },
)

export const MissingFiles = Type.Object(
  { missing: Type.Array(hash, { maxItems: maxFiles }) },
  { $id: 'MissingFiles', description: 'Those that have to be uploaded.' },
)

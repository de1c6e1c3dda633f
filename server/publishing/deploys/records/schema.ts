// The wire shapes of deploys.
import { type Static, Type } from 'typebox'
import {
  booleanText,
  count,
  noControls,
  nullable,
  pageLimit,
  text,
  words,
} from '#kit/schema/described-schema.ts'
import { maxProblems, problemKinds, severities } from '#renderer/site-files/site-file.ts'
import { maxDeployFiles, maxDeployMessageLength } from '../../../../client/values/limits.ts'
import {
  maxPreviewNameLength,
  minPreviewNameLength,
  previewNamePattern,
} from '../../previews/records/preview-name.ts'

const deployStates = ['uploaded', 'building', 'live', 'superseded', 'preview', 'failed'] as const
export const Deploy = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Counts the deploys of the project.' }),
    state: words(
      deployStates,
      'uploaded: waiting to be built. building: being built. live: what visitors see. superseded: no longer live, or a later deploy was live first; can be restored. preview: shown at the address of its preview; can be promoted. failed: see failure.',
    ),
    preview: nullable(
      Type.String(),
      'Name of the preview that it was deployed for; null for deploys of the site.',
    ),
    rebuildOf: nullable(
      Type.Integer({ minimum: 1 }),
      'Number of the deploy whose sources it builds again, because the settings of the site were changed.',
    ),
    warnings: nullable(
      Type.Integer({ minimum: 0 }),
      'Number of problems that the build found in the sources, see its report; null until known, and for finished sites without redirects.',
    ),
    kind: nullable(
      words(['ready', 'rendered']),
      'ready: served as uploaded. rendered: rendered from Markdown. Null until known.',
    ),
    source: words(
      ['archive', 'folder', 'built_in'],
      'archive: uploaded as an archive. folder: uploaded file by file. built_in: included in the program.',
    ),
    message: nullable(Type.String(), 'What it changes, in the words of its author.'),
    createdBy: nullable(
      Type.String(),
      'ID of the account. Null if the program or its command line created the deploy.',
    ),
    createdByName: nullable(
      Type.String(),
      'Name of the account. Null without one, and when it was deleted.',
    ),
    createdVia: nullable(
      words(['session', 'token', 'command_line', 'program']),
      'session: in the dashboard. token: with an access token. command_line: on the server itself. program: included in the program. Null for deploys of earlier releases.',
    ),
    tokenLabel: nullable(Type.String(), 'Label of the access token.'),
    createdAt: Type.String({ format: 'date-time' }),
    finishedAt: nullable(Type.String({ format: 'date-time' })),
    sourceFiles: count('Number of uploaded files.'),
    sourceBytes: Type.Integer({ minimum: 0 }),
    siteFiles: count('Number of published files; during the build, those that are ready so far.'),
    siteBytes: Type.Integer({ minimum: 0 }),
    failure: nullable(
      Type.Object({
        message: Type.String({ description: 'What is wrong and how to fix it.' }),
        file: nullable(Type.String(), 'File with the error.'),
        line: nullable(Type.Integer({ minimum: 1 })),
      }),
      'Why the deploy failed; null in other states.',
    ),
  },
  { $id: 'Deploy', description: 'One deploy of a project.' },
)
export type Deploy = Static<typeof Deploy>

export const Deploys = Type.Object(
  {
    items: Type.Array(Deploy, { maxItems: 100 }),
    next: nullable(Type.Integer(), 'Value of `before` for the next page; null on the last page.'),
  },
  { $id: 'Deploys', description: 'Deploys, newest first.' },
)

export const ListDeploysQuery = Type.Object({
  limit: pageLimit(20),
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only deploys with a smaller number.',
    }),
  ),
})

export const GetDeployQuery = Type.Object({
  wait: Type.Integer({
    minimum: 0,
    maximum: 25,
    default: 0,
    description:
      'Seconds to wait for a change while the deploy is uploaded or building. See `after`.',
  }),
  after: Type.Optional(
    text(
      60,
      'Last known state and siteFiles, such as building:12. If omitted, waits until the deploy is finished.',
    ),
  ),
})

const hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  'x-pattern-message': 'must be a SHA-256 in 64 lower-case hexadecimal digits',
  description: 'SHA-256 of the content, in lower-case hexadecimal.',
})

const message = Type.Optional(
  Type.String({
    maxLength: maxDeployMessageLength,
    pattern: `^${noControls}$`,
    'x-pattern-message': 'must have no control characters, such as line breaks',
    description: 'What the deploy changes, for the list of deploys.',
  }),
)
const preview = Type.Optional(
  Type.String({
    minLength: minPreviewNameLength,
    maxLength: maxPreviewNameLength,
    pattern: previewNamePattern,
    'x-pattern-message':
      'must have lower-case letters, digits and single hyphens, no hyphen at either end',
    description:
      'Deploy to this preview, at an address of its own, instead of the site. It is created if the project has none of this name.',
  }),
)

const strict = 'Errors and warnings that the build finds in the sources fail it.'

export const DeployArchiveQuery = Type.Object({ message, preview, strict: booleanText(strict) })

export const NewDeploy = Type.Object(
  {
    message,
    files: Type.Array(
      Type.Object({
        path: text(1024, 'Path relative to the folder.', 1),
        hash,
      }),
      { minItems: 1, maxItems: maxDeployFiles },
    ),
    preview,
    strict: Type.Optional(Type.Boolean({ description: strict })),
  },
  { $id: 'NewDeploy', description: 'The files of a folder. All must have been uploaded before.' },
)

export const FileHashes = Type.Object(
  { hashes: Type.Array(hash, { maxItems: maxDeployFiles }) },
  { $id: 'FileHashes', description: 'Content hashes of files.' },
)

export const MissingFiles = Type.Object(
  { missing: Type.Array(hash, { maxItems: maxDeployFiles }) },
  { $id: 'MissingFiles', description: 'Hashes of the files that must be uploaded.' },
)

const SourceProblem = Type.Object(
  {
    kind: words(problemKinds),
    severity: words(
      severities,
      'error: readers miss content. warning: something does not look or work as its author meant. note: nothing that readers see.',
    ),
    message: Type.String({ description: 'What is wrong and how to fix it.' }),
    file: Type.String({ description: 'Path of the source file: the first place of the problem.' }),
    line: nullable(Type.Integer({ minimum: 1 })),
    text: nullable(Type.String(), 'The line of the source.'),
    count: Type.Integer({ minimum: 1, description: 'Number of places that have the problem.' }),
  },
  { $id: 'SourceProblem', description: 'A problem of a source file.' },
)

export const DeployReport = Type.Object(
  {
    total: count('All problems; the worst and first ones are items.'),
    items: Type.Array(SourceProblem, { maxItems: maxProblems }),
    generator: Type.Optional(
      Type.Object(
        {
          name: Type.String(),
          file: Type.String({ description: 'The file by which it was recognised.' }),
          taken: Type.Array(Type.String(), { description: 'What was taken from its files.' }),
        },
        { description: 'The site generator that the folder was written for.' },
      ),
    ),
  },
  { $id: 'DeployReport', description: 'What the build of a deploy found in its sources.' },
)

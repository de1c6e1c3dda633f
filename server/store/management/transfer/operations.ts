// Moving animals in and out, as the management API declares it.
import { Type } from 'typebox'
import { operation } from '../../../platform/management/operation.ts'
import { Pet } from '../../animals/schema.ts'
import { mediaTypes } from '../../transfer/forms.ts'
import { resolved } from '../resolved-schema.ts'
import { maxBytes, maxRecords } from './limits.ts'
import { ExportAnimalsQuery, ImportAnimalsQuery, ImportOfAnimals } from './schema.ts'

const common = { tag: 'animals', access: 'operator' } as const
const types = Object.values(mediaTypes)

export const importAnimals = operation({
  ...common,
  route: 'POST /store/{environment}/animals/import',
  operationId: 'importAnimals',
  summary: 'Add the animals of a file',
  description: `At most ${maxRecords.toLocaleString('en')} in ${maxBytes / 1024 / 1024} MiB, each held against the rules of a creation; the command \`animals import\` takes more. A dry run tells what is wrong with a 200; otherwise it is a 400 whose details name the line, unless what is good is to be taken. Webhooks hear of none.`,
  scope: 'store:write',
  query: ImportAnimalsQuery,
  upload: { mediaTypes: types, maxBytes },
  status: 200,
  answer: ImportOfAnimals,
  errors: ['route_not_found', 'invalid_body'],
})

export const exportAnimals = operation({
  ...common,
  route: 'GET /store/{environment}/animals/export',
  operationId: 'exportAnimals',
  summary: 'Get the animals as a file',
  description:
    'By ascending id: every animal that is there throughout is in it exactly once. An import takes it back.',
  scope: 'store:read',
  query: ExportAnimalsQuery,
  status: 200,
  download: {
    [mediaTypes.csv]: Type.String({ description: 'RFC 4180, in UTF-8, with a header line.' }),
    [mediaTypes.ndjson]: Type.String({ description: 'An animal on each line.' }),
    [mediaTypes.json]: Type.Array(resolved<unknown>(Pet)),
  },
  errors: ['route_not_found'],
})

// What the OpenAPI document says of the import, beyond its schemas.
import { Type } from 'typebox'
import type { RawBody } from '../media-types.ts'
import type { Operation } from '../openapi/operation.ts'
import { bodyConditions, bodyErrors } from '../openapi/operation-parts.ts'
import { mediaTypes } from './forms.ts'

export const maxImportBytes = 1024 * 1024
export const maxImportRecords = 10_000

const rex = '{"name":"Rex","categoryId":7}'
const mia = '{"name":"Mia","categoryId":3,"status":"sold"}'

/** The forms of the body. */
export const importBody: RawBody = {
  [mediaTypes.csv]: {
    schema: Type.String({
      description:
        'RFC 4180, in UTF-8, with a header line: the columns name, categoryId and, where wanted, status, in any order. Other columns are ignored.',
    }),
    examples: {
      csv: {
        summary: 'Two animals',
        value: 'name,categoryId,status\r\nRex,7,\r\n"Mia, the cat",3,sold\r\n',
      },
    },
  },
  [mediaTypes.ndjson]: {
    schema: Type.String({ description: 'A NewPet on each line.' }),
    examples: { ndjson: { summary: 'Two animals', value: `${rex}\n${mia}\n` } },
  },
  [mediaTypes.json]: {
    schema: Type.Array(Type.Ref('NewPet'), { maxItems: maxImportRecords }),
    examples: {
      json: { summary: 'Two animals', value: [JSON.parse(rex), JSON.parse(mia)] },
    },
  },
}

const importPets: Operation = {
  operationId: 'importPets',
  tags: ['animals'],
  'x-stability': 'experimental',
  summary: 'Add many animals',
  description: `Adds the animals of the body, in their order, all or none: at most ${maxImportRecords.toLocaleString('en')} in 1 MiB. Each is held against the rules of creation and gets a new id. A dry run tells what is wrong with a 200; otherwise it is a 400 whose details name the line. For more animals there is the command \`animals import\`.`,
  requestHeaders: ['Idempotency-Key', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'All animals were added, or, of a dry run, what would happen',
    schema: 'ImportResult',
    headers: ['Vary', 'ETag', 'Idempotent-Replayed'],
    examples: {
      imported: {
        summary: 'Two animals were added',
        value: { dryRun: false, checked: 2, imported: 2, rejected: 0, problems: [] },
      },
      dryRun: {
        summary: 'A dry run that found something',
        value: {
          dryRun: true,
          checked: 2,
          imported: 0,
          rejected: 1,
          problems: [
            {
              line: 3,
              path: 'status',
              message: 'status must be one of: available, pending, sold.',
            },
          ],
        },
      },
    },
    conditional: false,
  },
  errors: [...bodyErrors.filter((code) => code !== 'malformed_json'), 'invalid_parameter'],
  conditions: {
    ...bodyConditions,
    400: 'A record is no animal, or the body cannot be read; nothing was added',
    413: `The body is over 1 MiB, or has more than ${maxImportRecords.toLocaleString('en')} records`,
    415: 'The body is not plain CSV, NDJSON or JSON',
  },
}

export const operations = { importPets }

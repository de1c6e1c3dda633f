// Swagger 2.0 as OpenAPI 3.0 (learn.openapis.org/upgrading, and the tables of both specifications). It changes the document
// in place where it can, so that schemas are the same objects as before; what is no part of Swagger 2.0 is kept.

import {
  entriesOf,
  type Fields,
  fieldOf,
  fieldsOf,
  hasField,
  isFields,
  listField,
  textField,
  textsField,
} from './document-values.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
const schemaKeys =
  'type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems enum multipleOf x-nullable'.split(
    ' ',
  )

export function convertSwagger(root: Fields): Fields {
  const {
    host,
    basePath,
    schemes,
    consumes,
    produces,
    definitions,
    securityDefinitions,
    ...others
  } = root
  const parameters = fieldsOf(root.parameters)
  convertValues(root, new Set(), 0)

  function convertOperation(operation: Fields, shared: unknown[]): void {
    const types = (key: string) => {
      const own = hasField(operation, key) ? operation : root
      const list = textsField(own, key)
      return list.length > 0 ? list : ['application/json']
    }
    // Those of the path may be bodies, too, so each operation has its own list.
    const all = [...shared, ...listField(operation, 'parameters')].map((item) => {
      const [, name = ''] = /^#\/parameters\/(.+)$/.exec(textField(item, '$ref') ?? '') ?? []
      return fieldOf(parameters, name) ?? item
    })
    const at = (place: string) => all.filter((item) => textField(item, 'in') === place)
    const body = at('body').at(-1)
    const form = at('formData')
    const kept = all.filter((item) => !/^(body|formData)$/.test(textField(item, 'in') ?? ''))
    if (all.length > 0) operation.parameters = kept.map(convertParameter)
    if (body !== undefined || form.length > 0) {
      operation.requestBody =
        body === undefined ? formBody(form, types('consumes')) : jsonBody(body, types('consumes'))
    }
    operation.responses = convertResponses(operation.responses, types('produces'))
  }

  for (const [, item] of entriesOf(root.paths)) {
    if (!isFields(item)) continue
    const { parameters: shared, ...rest } = item
    for (const [method, operation] of Object.entries(rest)) {
      if (methods.includes(method) && isFields(operation)) {
        convertOperation(operation, Array.isArray(shared) ? shared : [])
      }
    }
    delete item.parameters
  }
  const own = textsField(root, 'produces')
  const components = {
    schemas: fieldsOf(definitions),
    responses: convertResponses(root.responses, own.length > 0 ? own : ['application/json']),
    securitySchemes: mapped(securityDefinitions, convertScheme),
  }
  return { ...others, openapi: '3.0.3', servers: serversOf(root), components }
}

const mapped = (fields: unknown, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(entriesOf(fields).map(([name, value]) => [name, change(value)]))

function serversOf(root: Fields): object[] {
  const path = textField(root, 'basePath') ?? ''
  const host = textField(root, 'host')
  if (host === undefined) return path === '' ? [] : [{ url: path }]
  const schemes = textsField(root, 'schemes').filter((scheme) => /^https?$/.test(scheme))
  return (schemes.length > 0 ? schemes : ['https']).map((scheme) => ({
    url: `${scheme}://${host}${path}`,
  }))
}

/** References, files, nullable and discriminators. */
function convertValues(value: unknown, seen: Set<unknown>, depth: number): void {
  if (typeof value !== 'object' || value === null || seen.has(value) || depth > 500) return
  seen.add(value)
  const fields = value as Fields
  for (const item of Object.values(fields)) convertValues(item, seen, depth + 1)
  const ref = fieldOf(fields, '$ref')
  if (typeof ref === 'string') {
    fields.$ref = ref
      .replace(/^#\/definitions\//, '#/components/schemas/')
      .replace(/^#\/responses\//, '#/components/responses/')
  }
  if (fieldOf(fields, 'type') === 'file')
    Object.assign(fields, { type: 'string', format: 'binary' })
  if (fieldOf(fields, 'x-nullable') === true) fields.nullable = true
  const property = fieldOf(fields, 'discriminator')
  if (
    typeof property === 'string' &&
    (hasField(fields, 'properties') || hasField(fields, 'allOf'))
  ) {
    fields.discriminator = { propertyName: property }
  }
}

function schemaOf(fields: unknown): Fields {
  return Object.fromEntries(
    schemaKeys.flatMap((key) => (hasField(fields, key) ? [[key, fieldOf(fields, key)]] : [])),
  )
}

const styles: Record<string, object> = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { style: 'form', explode: true },
}

/** How a list is written; the default is `csv`. Styles of paths and headers are csv always. */
function writtenAs(parameter: unknown): object {
  const place = textField(parameter, 'in')
  if (textField(parameter, 'type') !== 'array' || !/^(query|formData)$/.test(place ?? '')) return {}
  return styles[textField(parameter, 'collectionFormat') ?? 'csv'] ?? styles.csv ?? {}
}

function convertParameter(parameter: unknown): unknown {
  if (!isFields(parameter) || hasField(parameter, '$ref')) return parameter
  const others = Object.entries(parameter).filter(
    ([key]) => !schemaKeys.includes(key) && key !== 'collectionFormat',
  )
  const example = fieldOf(parameter, 'x-example')
  const shown = example === undefined ? {} : { example }
  return {
    ...Object.fromEntries(others),
    ...writtenAs(parameter),
    ...shown,
    schema: schemaOf(parameter),
  }
}

function jsonBody(body: unknown, types: string[]): object {
  const { description, required, schema } = fieldsOf(body)
  return { description, required, content: contentOf(schema, types) }
}

const contentOf = (schema: unknown, types: string[]) =>
  Object.fromEntries(types.map((type) => [type, { schema }]))

function formBody(parameters: unknown[], types: string[]): object {
  const named = parameters.map((item) => [textField(item, 'name') ?? '', item] as const)
  const properties = named.map(([name, item]) => [
    name,
    { ...schemaOf(item), description: fieldOf(item, 'description') },
  ])
  const lists = named.filter(([, item]) => textField(item, 'type') === 'array')
  const isFile = parameters.some((item) => fieldOf(item, 'format') === 'binary')
  const known = types.filter((type) => /^multipart\/form-data|x-www-form-urlencoded/.test(type))
  const usual = isFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  const media = {
    schema: {
      type: 'object',
      required: named.flatMap(([name, item]) => (fieldOf(item, 'required') === true ? [name] : [])),
      properties: Object.fromEntries(properties),
    },
    encoding: Object.fromEntries(lists.map(([name, item]) => [name, writtenAs(item)])),
  }
  const used = known.length > 0 && !isFile ? known : [usual]
  return {
    required: media.schema.required.length > 0,
    content: Object.fromEntries(used.map((type) => [type, media])),
  }
}

function convertResponses(responses: unknown, types: string[]): Fields {
  return mapped(responses, (response) => {
    if (!isFields(response) || hasField(response, '$ref')) return response
    const { schema, examples, headers, ...others } = response
    const shown = entriesOf(examples)
    const content = schema === undefined ? {} : contentOf(schema, types)
    for (const [type, example] of shown) content[type] = { schema, example } as never
    return {
      ...others,
      headers: mapped(headers, (header) => ({
        description: fieldOf(header, 'description'),
        schema: schemaOf(header),
      })),
      content,
    }
  })
}

const flows: Record<string, string> = {
  application: 'clientCredentials',
  accessCode: 'authorizationCode',
}

function convertScheme(scheme: unknown): unknown {
  const type = textField(scheme, 'type')
  if (type === 'basic') return { ...fieldsOf(scheme), type: 'http', scheme: 'basic' }
  if (type !== 'oauth2') return scheme
  const { flow, authorizationUrl, tokenUrl, scopes, ...others } = fieldsOf(scheme)
  const name = String(flow)
  return { ...others, flows: { [flows[name] ?? name]: { authorizationUrl, tokenUrl, scopes } } }
}

// Swagger 2.0 as OpenAPI 3.0 (learn.openapis.org/upgrading, and the tables of both specifications). It changes the document
// in place where it can, so that schemas are the same objects as before; what is no part of Swagger 2.0 is kept.
import * as values from './document-values.ts'

type Fields = values.Fields
const { entriesOf, fieldOf, fieldsOf, hasField, isFields, listField, textField, textsField } =
  values
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
const keywords =
  /^(type|format|items|default|enum|pattern|multipleOf|nullable|uniqueItems|(exclusiveM|m)(ax|in)imum|m(ax|in)(Length|Items))$/

export function convertSwagger(root: Fields): Fields {
  convertValues(root, new Set(), 0)
  for (const [, item] of entriesOf(root.paths)) {
    // Those of the path may be bodies, too, so each operation has its own list.
    const shared = listField(item, 'parameters')
    for (const [method, operation] of entriesOf(item)) {
      if (methods.includes(method) && isFields(operation)) convertOperation(operation, shared, root)
    }
    if (isFields(item)) delete item.parameters
  }
  const components = {
    schemas: fieldsOf(root.definitions),
    responses: convertResponses(root.responses, typesOf('produces', root)),
    securitySchemes: mapped(root.securityDefinitions, convertScheme),
  }
  const path = textField(root, 'basePath') ?? ''
  const host = textField(root, 'host')
  const known = textsField(root, 'schemes').filter((scheme) => /^https?$/.test(scheme))
  const used = known.length > 0 ? known : ['https']
  const urls = host === undefined ? [path] : used.map((scheme) => `${scheme}://${host}${path}`)
  const servers = urls.flatMap((url) => (url === '' ? [] : [{ url }]))
  return { ...root, openapi: '3.0.3', servers, components }
}

const mapped = (fields: unknown, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(entriesOf(fields).map(([name, value]) => [name, change(value)]))

/** Content types of requests or responses, of the first place that has any. */
function typesOf(key: 'consumes' | 'produces', ...places: Fields[]): string[] {
  const place = places.find((fields) => textsField(fields, key).length > 0)
  return place ? textsField(place, key) : ['application/json']
}

function convertOperation(operation: Fields, shared: unknown[], root: Fields): void {
  const all = [...shared, ...listField(operation, 'parameters')].map((item) => {
    const [, name = ''] = /^#\/parameters\/(.+)$/.exec(textField(item, '$ref') ?? '') ?? []
    return fieldOf(root.parameters, name) ?? item
  })
  const by = Map.groupBy(all, (item) => textField(item, 'in'))
  const types = typesOf('consumes', operation, root)
  const body = fieldsOf(by.get('body')?.at(-1))
  const form = by.get('formData') ?? []
  if (hasField(body, 'schema')) {
    operation.requestBody = { ...body, content: contentOf(body.schema, types) }
  } else if (form.length > 0) operation.requestBody = formBody(form, types)
  const others = all.filter((item) => !/^(body|formData)$/.test(textField(item, 'in') ?? ''))
  operation.parameters = others.map(convertParameter)
  operation.responses = convertResponses(operation.responses, typesOf('produces', operation, root))
}

/** References, files, nullable and discriminators. */
function convertValues(value: unknown, seen: Set<unknown>, depth: number): void {
  if (typeof value !== 'object' || value === null || seen.has(value) || depth > 500) return
  seen.add(value)
  const fields = value as Fields
  for (const item of Object.values(fields)) convertValues(item, seen, depth + 1)
  const { $ref, type, discriminator } = { ...fields }
  if (typeof $ref === 'string') {
    const moved = $ref.replace(/^#\/definitions\//, '#/components/schemas/')
    fields.$ref = moved.replace(/^#\/responses\//, '#/components/responses/')
  }
  if (type === 'file') Object.assign(fields, { type: 'string', format: 'binary' })
  if (fields['x-nullable'] === true) fields.nullable = true
  const isSchema = hasField(fields, 'properties') || hasField(fields, 'allOf')
  if (typeof discriminator === 'string' && isSchema) {
    fields.discriminator = { propertyName: discriminator }
  }
}

const schemaOf = (fields: unknown) =>
  Object.fromEntries(entriesOf(fields).filter(([key]) => keywords.test(key)))

const styles = new Map([
  ['csv', { style: 'form', explode: false }],
  ['ssv', { style: 'spaceDelimited', explode: false }],
  ['pipes', { style: 'pipeDelimited', explode: false }],
  ['multi', { style: 'form', explode: true }],
])

/** How a list is written. In paths and headers it is always `csv`, the default. */
function writtenAs(parameter: unknown): object {
  const isList = fieldOf(parameter, 'type') === 'array'
  if (!isList || !/^(query|formData)$/.test(textField(parameter, 'in') ?? '')) return {}
  return styles.get(textField(parameter, 'collectionFormat') ?? 'csv') ?? {}
}

function convertParameter(parameter: unknown): unknown {
  if (!isFields(parameter) || hasField(parameter, '$ref')) return parameter
  const others = Object.entries(parameter).filter(([key]) => !keywords.test(key))
  return { ...Object.fromEntries(others), ...writtenAs(parameter), schema: schemaOf(parameter) }
}

const contentOf = (schema: unknown, types: string[]): Fields =>
  Object.fromEntries(types.map((type) => [type, { schema }]))

function formBody(parameters: unknown[], types: string[]): object {
  const named = parameters.map((item) => [textField(item, 'name') ?? '', item] as const)
  const required = named.flatMap(([name, item]) => (fieldOf(item, 'required') === true ? name : []))
  const properties = mapped(Object.fromEntries(named), (item) => {
    return { ...schemaOf(item), description: fieldOf(item, 'description') }
  })
  const lists = named.filter(([, item]) => fieldOf(item, 'type') === 'array')
  const encoding = mapped(Object.fromEntries(lists), writtenAs)
  const hasFile = parameters.some((item) => fieldOf(item, 'format') === 'binary')
  const known = types.find((type) => /^multipart\/form-data|x-www-form-urlencoded/.test(type))
  const type = hasFile ? 'multipart/form-data' : (known ?? 'application/x-www-form-urlencoded')
  const media = { schema: { type: 'object', required, properties }, encoding }
  return { required: required.length > 0, content: { [type]: media } }
}

function convertResponses(responses: unknown, types: string[]): Fields {
  return mapped(responses, (response) => {
    if (!isFields(response) || hasField(response, '$ref')) return response
    const { schema } = response
    const content = schema === undefined ? {} : contentOf(schema, types)
    for (const [type, example] of entriesOf(response.examples)) content[type] = { schema, example }
    const headers = mapped(response.headers, convertParameter)
    return { ...response, headers, content }
  })
}

const flows = new Map([
  ['application', 'clientCredentials'],
  ['accessCode', 'authorizationCode'],
])

function convertScheme(scheme: unknown): unknown {
  const { type, ...others } = fieldsOf(scheme)
  if (type === 'basic') return { ...others, type: 'http', scheme: 'basic' }
  if (type !== 'oauth2') return scheme
  const flow = textField(scheme, 'flow') ?? 'implicit'
  return { type, description: others.description, flows: { [flows.get(flow) ?? flow]: others } }
}

// Swagger 2.0 as OpenAPI 3.0 (learn.openapis.org/upgrading, and the tables of both specifications). It changes the document
// in place where it can, so that schemas are the same objects as before; what is no part of Swagger 2.0 is kept.
import * as values from './document-values.ts'

type Fields = values.Fields
const { entriesOf, fieldOf, fieldsOf, hasField, isFields, methods } = values
const { listField, textField, textsField } = values

export function convertSwagger(root: Fields): Fields {
  convertValues(root)
  for (const [, item] of entriesOf(root.paths)) {
    // Those of the path may be bodies, too, so each operation has its own list.
    const shared = listField(item, 'parameters')
    for (const [method, operation] of entriesOf(item)) {
      if (methods.test(method) && isFields(operation)) convertOperation(operation, shared, root)
    }
    if (isFields(item)) delete item.parameters
  }
  const components = {
    schemas: fieldsOf(root.definitions),
    responses: convertResponses(root.responses, typesOf('produces', root)),
    securitySchemes: mapped(root.securityDefinitions, convertScheme),
  }
  const host = textField(root, 'host')
  const known = textsField(root, 'schemes').filter((scheme) => /^https?$/.test(scheme))
  const schemes = known.length > 0 ? known : ['https']
  const origins = host === undefined ? [''] : schemes.map((scheme) => `${scheme}://${host}`)
  const servers = origins.map((origin) => ({ url: origin + (textField(root, 'basePath') ?? '') }))
  return { ...root, openapi: '3.0.3', servers, components }
}

const mapped = (fields: unknown, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(entriesOf(fields).map(([name, value]) => [name, change(value)]))

/** Content types of requests or responses, of the first place that has any. */
function typesOf(key: 'consumes' | 'produces', ...places: Fields[]): string[] {
  const lists = places.map((fields) => textsField(fields, key))
  return lists.find((types) => types.length > 0) ?? ['application/json']
}

function convertOperation(operation: Fields, shared: unknown[], root: Fields): void {
  const all = [...shared, ...listField(operation, 'parameters')].map((item) => {
    const [, name = ''] = /^#\/parameters\/(.+)$/.exec(textField(item, '$ref') ?? '') ?? []
    return fieldOf(root.parameters, name) ?? item
  })
  const at = (place: string) => all.filter((item) => fieldOf(item, 'in') === place).map(fieldsOf)
  const types = typesOf('consumes', operation, root)
  const [whole, form] = [at('body').at(-1), at('formData')]
  if (hasField(whole, 'schema')) {
    operation.requestBody = { ...whole, content: contentOf(whole?.schema, types) }
  } else if (form.length > 0) operation.requestBody = formBody(form, types)
  // Those that are bodies have no place in OpenAPI 3, so that they are left out.
  operation.parameters = all.map(convertParameter)
  operation.responses = convertResponses(operation.responses, typesOf('produces', operation, root))
}

/** References, files, nullable and discriminators. The document is no deeper than its files may be. */
function convertValues(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const fields = value as Fields
  for (const item of Object.values(fields)) convertValues(item)
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

const styles = { csv: 'form', ssv: 'spaceDelimited', pipes: 'pipeDelimited', multi: 'form' }

/** How a list is written. In paths and headers it is always `csv`, the default. */
function writtenAs(parameter: unknown): object {
  const { type, in: place } = fieldsOf(parameter)
  const format = textField(parameter, 'collectionFormat') ?? 'csv'
  if (type !== 'array' || (place !== 'query' && place !== 'formData')) return {}
  return { style: fieldOf(styles, format), explode: format === 'multi' }
}

/** A parameter or header, which is a schema, too. */
function convertParameter(parameter: unknown): unknown {
  if (!isFields(parameter) || hasField(parameter, '$ref')) return parameter
  return { ...parameter, ...writtenAs(parameter), schema: parameter }
}

const contentOf = (schema: unknown, types: string[]): Fields =>
  Object.fromEntries(types.map((type) => [type, { schema }]))

function formBody(parameters: Fields[], types: string[]): object {
  const named = parameters.map((item) => [textField(item, 'name') ?? '', item] as const)
  const required = named.flatMap(([name, item]) => (item.required === true ? name : []))
  const hasFile = parameters.some(({ format }) => format === 'binary')
  const known = types.find((type) => /^multipart\/form-data|x-www-form-urlencoded/.test(type))
  const type = hasFile ? 'multipart/form-data' : (known ?? 'application/x-www-form-urlencoded')
  const properties = Object.fromEntries(named)
  const schema = { type: 'object', required, properties }
  const media = { schema, encoding: mapped(properties, writtenAs) }
  return { required: required.length > 0, content: { [type]: media } }
}

function convertResponses(responses: unknown, types: string[]): Fields {
  return mapped(responses, (response) => {
    if (!isFields(response) || hasField(response, '$ref')) return response
    const { schema } = response
    const content = schema === undefined ? {} : contentOf(schema, types)
    for (const [type, example] of entriesOf(response.examples)) content[type] = { schema, example }
    return { ...response, headers: mapped(response.headers, convertParameter), content }
  })
}

const flows = { application: 'clientCredentials', accessCode: 'authorizationCode' }

function convertScheme(scheme: unknown): unknown {
  const { type, ...others } = fieldsOf(scheme)
  if (type === 'basic') return { ...others, type: 'http', scheme: 'basic' }
  if (type !== 'oauth2') return scheme
  const flow = textField(scheme, 'flow') ?? 'implicit'
  const name = textField(flows, flow) ?? flow
  return { type, description: others.description, flows: { [name]: others } }
}

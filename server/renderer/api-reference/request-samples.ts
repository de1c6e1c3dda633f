// The request of an operation in three languages, beside its response. Without scripts the language is chosen by radio
// buttons; site.js remembers the choice.
import { type Html, html } from '../markdown/html.ts'
import { curlExample } from './curl-example.ts'
import { exampleRequest } from './example-request.ts'
import { javascriptExample } from './javascript-example.ts'
import { mainResponse } from './operation-parts.ts'
import { exampleLanguage, exampleText, isJson } from './plain-text.ts'
import { pythonExample } from './python-example.ts'
import type { Operation } from './read-operations.ts'
import type { Reference } from './reference.ts'
import { sampleValue } from './sample-value.ts'

const languages = [
  { id: 'curl', title: 'curl', code: 'sh', write: curlExample },
  { id: 'javascript', title: 'JavaScript', code: 'js', write: javascriptExample },
  { id: 'python', title: 'Python', code: 'python', write: pythonExample },
]

export function requestSamples(operation: Operation, reference: Reference): Html {
  const { context } = reference
  const request = exampleRequest(operation, reference)
  const choices = languages.map(
    ({ id, title }, index) =>
      html`<label><input type="radio" name="api-language" value="${id}"${index === 0 && html` checked`}>${title}</label>`,
  )
  const samples = languages.map(
    ({ id, code, write }) =>
      html`<div class="api-sample" data-language="${id}">${context.code(write(request), code)}</div>
`,
  )
  return html`<fieldset class="api-samples"><legend class="unseen">Language of the example</legend>
<div class="api-languages">${choices}</div>
${samples}</fieldset>
${responseSample(operation, reference)}
`
}

/** The first example of the main response. */
function responseSample({ responses }: Operation, { context }: Reference): Html | false {
  const response = mainResponse(responses)
  const media = response?.media.find(({ type }) => isJson(type)) ?? response?.media[0]
  if (response === undefined || media === undefined) return false
  const { type, schema, examples } = media
  if (examples.length === 0 && (schema === undefined || !isJson(type))) return false
  const value =
    examples.length > 0
      ? examples[0]?.value
      : sampleValue(schema, { resolve: context.resolve, isRequest: false })
  return html`<div class="api-answer"><p class="api-answer-title">Response <span class="api-status api-status-${response.status.slice(0, 1)}">${response.status}</span></p>
${context.code(exampleText(value, type), exampleLanguage(type))}</div>`
}

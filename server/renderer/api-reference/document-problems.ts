// What is wrong with a document that can be rendered nevertheless, with the line.
import type { DeployFailure } from '../site-files/deploy-failure.ts'
import { oneLine } from './plain-text.ts'
import type { ApiDocument } from './read-document.ts'
import type { Operation } from './read-operations.ts'

/** More are not searched for, so that a hostile document costs little. */
const maxFound = 1_000

/** At most 1,000, in the order of the document. Equal ones of one line are listed once. */
export function documentProblems(
  { fault }: ApiDocument,
  operations: readonly Operation[],
  schemes: ReadonlyMap<string, unknown>,
): DeployFailure[] {
  const problems = new Map<string, DeployFailure>()
  const firstUse = new Map<string, Operation>()
  let isDocumentsSecurityRead = false

  for (const operation of operations) {
    const { isWebhook, method, operationId, parameters, route, security = [] } = operation
    const keys = [isWebhook ? 'webhooks' : 'paths', route, method.toLowerCase()]
    const add = (message: string, ...place: string[]) => {
      if (problems.size >= maxFound) return
      const problem = fault(message, ...place)
      problems.getOrInsert(`${problem.line} ${message}`, problem)
    }
    if (!isWebhook) {
      const inRoute = new Set([...route.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name))
      const inPath = parameters.filter((item) => item.in === 'path')
      const declared = new Set(inPath.map(({ name }) => name))
      for (const name of inRoute) {
        if (declared.has(name)) continue
        add(
          `The path has ${shown(name)}, which no parameter with in: path declares. Add it.`,
          ...keys,
        )
      }
      for (const name of declared) {
        if (inRoute.has(name)) continue
        const message = `The parameter ${shown(name)} is in: path, but not in the path. Remove it, or correct its name.`
        add(message, ...keys, 'parameters')
      }
    }
    if (operationId !== undefined) {
      const first = firstUse.getOrInsert(operationId, operation)
      if (first !== operation) {
        const message = `The operationId ${shown(operationId)} is also that of ${oneLine(`${first.method} ${first.route}`)}. Each needs its own.`
        add(message, ...keys, 'operationId')
      }
    }
    if (!operation.hasOwnSecurity && isDocumentsSecurityRead) continue
    isDocumentsSecurityRead ||= !operation.hasOwnSecurity
    for (const { scheme } of security.flat()) {
      if (schemes.has(scheme)) continue
      const message = `There is no security scheme ${shown(scheme)} in components.securitySchemes. Add it, or correct its name.`
      add(message, ...(operation.hasOwnSecurity ? keys : []), 'security')
    }
  }
  return [...problems.values()]
}

function shown(name: string): string {
  return `"${oneLine(name, 80)}"`
}

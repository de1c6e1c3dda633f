// @ts-check
// Calls the registrar's API. A refused request throws an error with the field.

export class ValidationError extends Error {
  /** @param {string} message @param {number} status @param {string} [path] */
  constructor(message, status, path) {
    super(message)
    this.status = status
    this.path = path
  }
}

/**
 * @typedef {{ id: number, name: string, fullName: string, type: string, ttlSeconds: number, value: string }} ZoneRecord
 * @typedef {{ name: string, address: string, fault: string, delay: number | 'held', serial: number, isCurrent: boolean, dueAt: number | null }} Server
 * @typedef {{ name: string, provider: string, isDnssecBroken: boolean, serial: number, records: ZoneRecord[], servers: Server[] }} Domain
 * @typedef {{ id: string, title: string, about: string, hasAlias: boolean, isHelpful: boolean, servers: string[] }} Provider
 * @typedef {{ platformHost: string, topLevels: string[], providers: Provider[], recordTypes: string[], faults: string[], proxyModes: string[], proxyMode: string, otherPlatformHost: string, otherPlatformCaa: string[], otherPlatform: { caa: string }, addresses: Record<string, string>, ports: Record<string, number>, scenarios: { id: string, title: string, about: string }[], domains: { name: string, provider: string, records: number, isCurrent: boolean }[] }} Lab
 */

/** @param {string} route Such as `GET /lab`. @param {object} [body] @returns {Promise<unknown>} */
export async function ask(route, body) {
  const [method = '', path = ''] = route.split(' ')
  /** @type {Response} */
  let response
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: body ? { 'Content-Type': 'application/json' } : {},
      body: body ? JSON.stringify(body) : null,
    })
  } catch {
    throw new ValidationError('The lab does not answer. Is it still running?', 0)
  }
  if (response.status === 204) return undefined
  const answer = await response.json()
  if (response.ok) return answer
  throw new ValidationError(answer.message, answer.status, answer.details?.[0]?.path)
}

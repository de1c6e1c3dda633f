// What the page of animals says first.
import type { Answer } from '../../client/management-client.ts'
import { counted } from '../platform/numbers.ts'

export function summaryOf({ animals, baseUrl }: Answer<'GET /store/{environment}'>): string {
  const { available, pending, sold, total } = animals
  if (total === 0) return `The animals that ${baseUrl} serves.`
  return `${counted(total, 'animal')}: ${counted(available, 'available', 'available')}, ${counted(pending, 'pending', 'pending')}, ${counted(sold, 'sold', 'sold')}.`
}

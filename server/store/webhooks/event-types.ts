// The events that webhooks can get.
export const eventTypes = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'order.placed',
  'order.approved',
  'order.delivered',
  'order.cancelled',
] as const

export type EventType = (typeof eventTypes)[number]

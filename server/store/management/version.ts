// The version of a record, as the management API shows it.
import { Type } from 'typebox'

export interface Versioned {
  version: string
}

export const version = Type.String({
  description: 'Moves with every change: what If-Match takes, in quotes.',
})

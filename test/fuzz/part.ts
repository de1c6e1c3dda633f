// The pieces that requests are made of, each with the faults that it brings.
import fc, { type Arbitrary } from 'fast-check'
import type { Fault } from './request.ts'

export interface Part {
  /** Names and values in turn. */
  headers?: string[]
  faults?: Fault[]
}

export const right = <T>(found: Arbitrary<T>, weight: number) => ({ weight, arbitrary: found })
export const none: Arbitrary<Part> = fc.constant({})
export const fault = (status: number, ...codes: string[]): Fault => ({ status, codes })

/** A header from a list: as the document allows it, or not. */
export function field(name: string, values: string[], faults?: Fault[]): Arbitrary<Part> {
  return fc
    .constantFrom(...values)
    .map((value) => ({ headers: [name, value], ...(faults && { faults }) }))
}

export const anyCase = (name: string): Arbitrary<string> =>
  fc.constantFrom(name, name.toLowerCase(), name.toUpperCase())

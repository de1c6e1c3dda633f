// Parts that requests are composed of, each with its faults.
import fc, { type Arbitrary } from 'fast-check'
import type { Fault } from './request.ts'

export interface Part {
  /** Name, value, name, value. */
  headers?: string[]
  faults?: Fault[]
}

export const weighted = <T>(arbitrary: Arbitrary<T>, weight: number) => ({ weight, arbitrary })
export const noPart: Arbitrary<Part> = fc.constant({})
export const fault = (status: number, ...codes: string[]): Fault => ({ status, codes })

/** A header with one of the values, all of which are valid or have these faults. */
export function headerPart(name: string, values: string[], faults?: Fault[]): Arbitrary<Part> {
  return fc
    .constantFrom(...values)
    .map((value) => ({ headers: [name, value], ...(faults && { faults }) }))
}

export const anyCase = (name: string): Arbitrary<string> =>
  fc.constantFrom(name, name.toLowerCase(), name.toUpperCase())

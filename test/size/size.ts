// npm run size: the lines of code of each room beside its budget, then what some requests cross.
import { join } from 'node:path'
import { countCrossings } from './crossings.ts'
import { rooms, type Size, sizeOfRooms, sumOf } from './rooms.ts'
import { readSources } from './sources.ts'

const sizes = sizeOfRooms(readSources(join(import.meta.dirname, '../..')))
const print = (name: string, { files, lines, bytes }: Size, budget: number | string) =>
  console.log(
    `${name.padEnd(12)}${[files, lines, budget, bytes].map((cell) => String(cell).padStart(10)).join('')}`,
  )

console.log('room             files     lines    budget     bytes')
for (const { name, budget } of rooms) {
  const size = sizes.get(name)
  if (size) print(name, size, budget)
}
print('core', sumOf(sizes, 'core'), '')
print('product', sumOf(sizes, 'core', 'product'), '')
print('tests', sumOf(sizes, 'tests'), '')

console.log('\ncrosses                              files functions     calls')
for (const { name, files, functions, calls } of await countCrossings()) {
  console.log(
    `${name.padEnd(34)}${[files, functions, calls].map((cell) => String(cell).padStart(8)).join('')}`,
  )
}

import { expect, it } from 'vitest'
import { createShares } from './shares.ts'

const limits = { total: 4, most: 2, waiting: 1, waitMs: 0 }
const busy = { code: 'unavailable', headers: { 'Retry-After': '5' } }

it('gives nobody more than his part', async () => {
  const shares = createShares(limits)
  await shares.take('a', 1)
  const back = await shares.take('a', 1)
  await expect(shares.take('a', 1)).rejects.toMatchObject(busy)
  const backOfOther = await shares.take('b', 2)
  back()
  await shares.take('a', 1)
  await expect(shares.take('c', 1)).rejects.toMatchObject(busy)
  backOfOther()
  await shares.take('c', 1)
})

it('takes what is larger than a part for one', async () => {
  const shares = createShares(limits)
  const back = await shares.take('a', 100)
  await expect(shares.take('a', 1)).rejects.toMatchObject(busy)
  back()
  await shares.take('a', 100)
})

it('has everything again after what was refused', async () => {
  const shares = createShares(limits)
  const held = await Promise.all([shares.take('a', 2), shares.take('b', 2)])
  await expect(shares.take('c', 2)).rejects.toMatchObject(busy)
  for (const back of held) back()
  await Promise.all([shares.take('c', 2), shares.take('d', 2)])
})

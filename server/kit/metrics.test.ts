import { expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

it('labels deprecated calls with a bounded number of API keys', async () => {
  const metrics = createMetrics()
  for (let i = 0; i < 1100; i++) metrics.countDeprecatedCall('production', 'getPet', `key${i}`)
  metrics.countDeprecatedCall('production', 'getPet', 'key5')
  const text = await metrics.registry.getSingleMetricAsString('animal_store_deprecated_calls_total')
  const lines = text.split('\n').filter((line) => !line.startsWith('#'))
  expect(lines.length).toBe(1001)
  expect(lines).toContainEqual(expect.stringMatching(/key_id="key5"\} 2$/))
  expect(lines).toContainEqual(expect.stringMatching(/key_id="others"\} 100$/))
})

// What a listener reports of itself.
import type { Edge } from '../edge/started-edge.ts'

/** The value of a metric without labels. */
export async function metric({ listener }: Edge, name: string): Promise<number> {
  const shown = await listener.intake.metrics.registry.getSingleMetricAsString(name)
  return Number(/^\w+ (\d+)$/m.exec(shown)?.[1])
}

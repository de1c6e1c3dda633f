// Who created a deploy, how and when, in one line.
import { Text } from '@mantine/core'
import { Ago } from '../components/time.tsx'
import type { Deploy } from './project-queries.ts'
import { durationOf, originOf } from './project-texts.ts'

/** `#4 · Rebuild of #3 · Olga · Dashboard · 3 minutes ago · took 2 s`. */
export function DeployOrigin({ deploy }: { deploy: Deploy }) {
  const origin = originOf(deploy)
  const duration = durationOf(deploy)
  return (
    <Text size="sm" c="dimmed">
      {origin && `${origin} · `}
      <Ago time={deploy.createdAt} />
      {duration !== null && ` · ${duration}`}
    </Text>
  )
}

// Who created a deploy, how and when, in one line.
import { Text } from '@mantine/core'
import { Ago } from '../components/time.tsx'
import { span } from '../platform/times.ts'
import { type Deploy, isUnderWay } from './project-queries.ts'

/** The message of its author; without one, what it is. */
export function titleOf({ createdVia, message, number }: Deploy): string {
  return message ?? (createdVia === 'program' ? 'Built-in documentation' : `Deploy ${number}`)
}

/** `#4 · Rebuild of #3 · Olga · Dashboard · 3 minutes ago · took 2 s`; the number only if the title does not have it. */
export function DeployOrigin({ deploy }: { deploy: Deploy }) {
  const { createdAt, createdByName, number, rebuildOf } = deploy
  const shown = titleOf(deploy) === `Deploy ${number}` ? null : `#${number}`
  const rebuild = rebuildOf === null ? null : `Rebuild of #${rebuildOf}`
  const words = [shown, rebuild, createdByName, wayOf(deploy)].filter((word) => word !== null)
  const duration = durationOf(deploy)
  return (
    <Text size="sm" c="dimmed">
      {words.map((word) => `${word} · `)}
      <Ago time={createdAt} />
      {duration !== null && ` · ${duration}`}
    </Text>
  )
}

function wayOf({ createdVia, tokenLabel }: Deploy): string | null {
  if (createdVia === 'session') return 'Dashboard'
  if (createdVia === 'command_line') return 'Command line'
  if (createdVia === 'program') return 'Animal Store'
  return createdVia === null ? null : `Token ${tokenLabel ?? ''}`
}

function durationOf(deploy: Deploy): string | null {
  if (isUnderWay(deploy) || deploy.finishedAt === null) return null
  const ms = Date.parse(deploy.finishedAt) - Date.parse(deploy.createdAt)
  return `took ${ms < 1000 ? 'less than 1 s' : span(ms)}`
}

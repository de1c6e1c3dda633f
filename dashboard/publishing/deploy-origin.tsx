// Who created a deploy, how and when, in one line.
import { Text } from '@mantine/core'
import { Ago } from '../components/time.tsx'
import { span } from '../platform/times.ts'
import { type Deploy, isUnderWay, titleOf } from './project-queries.ts'

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

/** `#4 · Rebuild of #3 · Olga · Dashboard`: the number only if the title does not have it. */
function originOf(deploy: Deploy): string {
  const { createdByName, number, rebuildOf } = deploy
  const shown = titleOf(deploy) === `Deploy ${number}` ? null : `#${number}`
  const rebuild = rebuildOf === null ? null : `Rebuild of #${rebuildOf}`
  const words = [shown, rebuild, createdByName, wayOf(deploy)]
  return words.filter((word) => word !== null).join(' · ')
}

function wayOf({ createdVia, tokenLabel }: Deploy): string | null {
  if (createdVia === 'session') return 'Dashboard'
  if (createdVia === 'command_line') return 'Command line'
  if (createdVia === 'program') return 'Animal Store'
  return createdVia === null ? null : `Token ${tokenLabel ?? ''}`
}

/** `took 2 s`. */
function durationOf(deploy: Deploy): string | null {
  if (isUnderWay(deploy) || deploy.finishedAt === null) return null
  const ms = Date.parse(deploy.finishedAt) - Date.parse(deploy.createdAt)
  return `took ${(ms < 1000 ? 'less than 1 s' : span(ms)).replaceAll(' ', '\u00a0')}`
}

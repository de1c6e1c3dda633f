// Deploys as rows, newest first: state, what changed, and Restore.
import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import { ActionButton } from '../components/action-buttons.tsx'
import { Disclosure } from '../components/disclosure.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Loaded } from '../components/states.tsx'
import { bytes, counted } from '../platform/numbers.ts'
import { useChange, useGet, useSlug } from '../platform/requests.ts'
import classes from './deploy-list.module.css'
import { DeployOrigin } from './deploy-origin.tsx'
import { type Deploy, isUnderWay, projectQueries, titleOf } from './project-queries.ts'

export function DeployList({ deploys }: { deploys: Deploy[] }) {
  return (
    <ol className={classes.deploys} aria-label="Deploys">
      {deploys.map((deploy) => (
        <DeployRow key={deploy.number} deploy={deploy} />
      ))}
    </ol>
  )
}

const states = {
  uploaded: { title: 'Queued', tone: 'progress' },
  building: { title: 'Building', tone: 'progress' },
  live: { title: 'Live', tone: 'success' },
  superseded: { title: 'Superseded', tone: 'neutral' },
  preview: { title: 'Preview', tone: 'neutral' },
  failed: { title: 'Failed', tone: 'danger' },
} as const

function DeployState({ deploy: { state } }: { deploy: Deploy }) {
  const { title, tone } = states[state]
  return <StateBadge tone={tone}>{title}</StateBadge>
}

function DeployRow({ deploy }: { deploy: Deploy }) {
  const { failure, number, preview, siteBytes, siteFiles, sourceFiles, state } = deploy
  const changed = projectQueries(useSlug())
  const restore = useChange('POST /projects/{slug}/deploys/{number}/restore', changed)
  return (
    <li className={classes.deploy}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div className={classes.what}>
          <Group gap="0.15rem 0.75rem" align="center">
            <Text fw={600} className={classes.title ?? ''}>
              {titleOf(deploy)}
            </Text>
            <DeployState deploy={deploy} />
            {preview !== null && (
              <Text size="sm" ff="monospace">
                {preview}
              </Text>
            )}
          </Group>
          <DeployOrigin deploy={deploy} />
          {isUnderWay(deploy) ? (
            <Text size="sm" c="dimmed" role="status">
              {counted(siteFiles, 'file')} built from {counted(sourceFiles, 'source file')}
            </Text>
          ) : (
            !failure && (
              <Text size="sm" c="dimmed">
                {counted(siteFiles, 'file')}, {bytes(siteBytes)}
              </Text>
            )
          )}
        </div>
        {state === 'superseded' && (
          <ActionButton
            h={30}
            flex="none"
            label={`Restore deploy ${number}`}
            act={() => restore.mutateAsync({ params: { number: String(number) } })}
            done={`Deploy ${number} is live again.`}
          >
            Restore
          </ActionButton>
        )}
      </Group>
      <BuildReport deploy={deploy} />
      {failure && (
        <Alert color="red" mt={6} p="xs">
          <Text size="sm">{failure.message}</Text>
          {failure.file && (
            <Text size="sm" ff="monospace">
              {failure.file}
              {failure.line !== null && `:${failure.line}`}
            </Text>
          )}
        </Alert>
      )}
    </li>
  )
}

// What the build of a deploy found in its sources: one line when it is closed, each problem with its line when it is open.

function BuildReport({ deploy: { number, warnings } }: { deploy: Deploy }) {
  if (!warnings) return null
  return (
    <Disclosure label={counted(warnings, 'warning')} c="yellow" mt={4}>
      <Problems number={number} />
    </Disclosure>
  )
}

function Problems({ number }: { number: number }) {
  const report = useGet('GET /projects/{slug}/deploys/{number}/report', {
    params: { number: String(number) },
  })
  return (
    <Loaded query={report}>
      {({ items, total }) => (
        <Stack gap="sm" component="ul" className={classes.problems} aria-label="Warnings">
          {items.map(({ file, line, message, text }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal problems may follow each other
            <li key={i}>
              <Text size="sm">{message}</Text>
              <Text size="sm" c="dimmed" ff="monospace" className={classes.place}>
                {file}
                {line !== null && `:${line}`}
              </Text>
              {text !== null && (
                <Code block className={classes.line}>
                  {text}
                </Code>
              )}
            </li>
          ))}
          {total > items.length && (
            <Text component="li" size="sm" c="dimmed">
              {total - items.length} more
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  )
}

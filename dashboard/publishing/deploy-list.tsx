// Deploys as rows, newest first: state, what changed, who created it, and Restore.
import { Alert, Box, Code, Group, Paper, Stack, Text } from '@mantine/core'
import { ActionButton } from '../components/actions.tsx'
import { Empty, Loaded, LoadedItems } from '../components/page.tsx'
import { Ago, Disclosure, Note, StateBadge } from '../components/values.tsx'
import { bytes, counted, span } from '../platform/formats.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { type Deploy, isUnderWay, titleOf, type useDeploys } from './project-queries.ts'

/** All, or the last `max` of them. */
export function DeployList({ max, query }: { query: ReturnType<typeof useDeploys>; max?: number }) {
  return (
    <LoadedItems
      query={query}
      hasMore={max === undefined}
      empty={<Empty title="No deploys yet">All deploys are kept here and can be restored.</Empty>}
    >
      {(deploys) => (
        <Paper component="ol" withBorder aria-label="Deploys">
          {deploys.slice(0, max).map((deploy, i) => (
            <Box
              component="li"
              key={deploy.number}
              p="0.75rem 1rem"
              style={i > 0 ? { borderTop: '1px solid var(--line)' } : {}}
            >
              <DeployRow deploy={deploy} />
            </Box>
          ))}
        </Paper>
      )}
    </LoadedItems>
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

function DeployRow({ deploy }: { deploy: Deploy }) {
  const { failure, number, preview, siteBytes, siteFiles, sourceFiles, state } = deploy
  const restore = useChange('POST /projects/{slug}/deploys/{number}/restore')
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Box miw={0} style={{ overflowWrap: 'anywhere' }}>
          <Group gap="0.15rem 0.75rem" align="center">
            <Text fw={600} miw={0}>
              {titleOf(deploy)}
            </Text>
            <StateBadge tone={states[state].tone}>{states[state].title}</StateBadge>
            {preview !== null && (
              <Text size="sm" ff="monospace">
                {preview}
              </Text>
            )}
          </Group>
          <DeployOrigin deploy={deploy} />
          {isUnderWay(deploy) ? (
            <Note role="status">
              {counted(siteFiles, 'file')} built from {counted(sourceFiles, 'source file')}
            </Note>
          ) : (
            !failure && (
              <Note>
                {counted(siteFiles, 'file')}, {bytes(siteBytes)}
              </Note>
            )
          )}
        </Box>
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
    </>
  )
}

/**
 * What the build of a deploy found in its sources: one line when it is closed, each problem with its line when it is
 * open.
 */
function BuildReport({ deploy: { number, warnings } }: { deploy: Deploy }) {
  if (!warnings) return null
  return (
    <Disclosure label={counted(warnings, 'problem')} c="yellow" mt={4}>
      <Problems number={number} />
    </Disclosure>
  )
}

const severities = {
  error: { title: 'Error', tone: 'danger' },
  warning: { title: 'Warning', tone: 'action' },
  note: { title: 'Note', tone: 'neutral' },
} as const

function Problems({ number }: { number: number }) {
  const report = useGet('GET /projects/{slug}/deploys/{number}/report', {
    params: { number: String(number) },
  })
  return (
    <Loaded query={report}>
      {({ items, total }) => (
        <Stack gap="sm" component="ul" aria-label="Problems">
          {items.map(({ count, file, line, message, severity, text }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal problems may follow each other
            <li key={i}>
              <Group gap="xs" wrap="nowrap" align="flex-start">
                <StateBadge tone={severities[severity].tone}>
                  {severities[severity].title}
                </StateBadge>
                <Text size="sm" miw={0} style={{ overflowWrap: 'anywhere' }}>
                  {message}
                </Text>
              </Group>
              <Note style={{ overflowWrap: 'anywhere' }}>
                <Text span ff="monospace" inherit>
                  {file}
                  {line !== null && `:${line}`}
                </Text>
                {count > 1 && ` and ${counted(count - 1, 'more place')}`}
              </Note>
              {text !== null && (
                <Code block mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
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

/** `#4 · Rebuild of #3 · Olga · Dashboard · 3 minutes ago · took 2 s`. */
export function DeployOrigin({ deploy }: { deploy: Deploy }) {
  const origin = originOf(deploy)
  const duration = durationOf(deploy)
  return (
    <Note>
      {origin && `${origin} · `}
      <Ago time={deploy.createdAt} />
      {duration !== null && ` · ${duration}`}
    </Note>
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

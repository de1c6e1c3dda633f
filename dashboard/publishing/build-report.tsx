// What the build of a deploy found in its sources: one line when it is closed, each problem with its line when it is open.
import { Code, Stack, Text } from '@mantine/core'
import { Disclosure } from '../components/disclosure.tsx'
import { Loaded } from '../components/states.tsx'
import { counted } from '../platform/numbers.ts'
import { useGet } from '../platform/requests.ts'
import classes from './deploy-list.module.css'
import type { Deploy } from './project-queries.ts'

export function BuildReport({ deploy: { number, warnings } }: { deploy: Deploy }) {
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

// The whole configuration as JSON, checked while it is typed; what is wrong is named by its place.
import { Alert, Button, Group, List, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../../components/announcements.tsx'
import { Loaded } from '../../components/states.tsx'
import { explain, Refusal } from '../../platform/api.ts'
import { findProblems } from './configuration-problems.ts'
import { type Configuration, useConfiguration, useConfigure } from './domain-queries.ts'

export function ConfigurationJson({ hosts, slug }: { slug: string; hosts: string[] }) {
  const configuration = useConfiguration(slug)
  return (
    <Loaded query={configuration}>
      {(saved) => <Form key={JSON.stringify(saved)} hosts={hosts} saved={saved} slug={slug} />}
    </Loaded>
  )
}

function Form({ hosts, saved, slug }: { slug: string; hosts: string[]; saved: Configuration }) {
  const asText = JSON.stringify(saved, null, 2)
  const [text, setText] = useState(asText)
  const configure = useConfigure(slug)
  const announce = useAnnounce()
  const problems = findProblems(text, hosts)
  const refusal = configure.error instanceof Refusal ? configure.error : undefined
  return (
    <Stack gap="sm">
      <Textarea
        label="Configuration"
        description="One primary; each redirect keeps path and query. Domains that are not named serve the same site."
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          configure.reset()
        }}
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={problems.length > 0}
      />
      {problems.length > 0 && (
        <List size="sm" c="red" aria-live="polite">
          {problems.map((problem) => (
            <List.Item key={problem}>{problem}</List.Item>
          ))}
        </List>
      )}
      {configure.error && (
        <Alert color="red" role="alert">
          {refusal?.details.map(({ message, path }) => (
            <Text key={path + message} size="sm">
              {path}: {message}
            </Text>
          )) ?? explain(configure.error)}
          {refusal?.details.length === 0 && explain(configure.error)}
        </Alert>
      )}
      <Group>
        <Button
          disabled={problems.length > 0 || text === asText}
          loading={configure.isPending}
          onClick={() =>
            configure.mutate(JSON.parse(text), {
              onSuccess: () => announce({ text: 'Saved.', undo: () => configure.mutate(saved) }),
            })
          }
        >
          Save
        </Button>
        <Button variant="default" disabled={text === asText} onClick={() => setText(asText)}>
          Reset
        </Button>
      </Group>
    </Stack>
  )
}

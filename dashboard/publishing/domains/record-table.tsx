// A DNS record to create, as fields with copy buttons and as a line of a zone file, and the frame of a next step.

import { Paper, Stack, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyBlock, CopyValue } from '../../components/copy.tsx'
import { Section } from '../../components/page.tsx'
import { Disclosure, Note } from '../../components/values.tsx'
import type { Domain } from './domain-queries.ts'

export function RecordTable({
  record: { name, ttlSeconds, type, value },
}: {
  /** Its name is relative to the zone, as DNS providers expect it. */
  record: Pick<Domain['record'], 'name' | 'value' | 'ttlSeconds'> & { type: string }
}) {
  const fields = [
    ['Type', type, 'the type'],
    ['Name', name, 'the name'],
    ['Value', value, 'the value'],
    ['TTL', String(ttlSeconds), 'the TTL'],
  ] as const
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          {fields.map(([title, text, what]) => (
            <Table.Tr key={title}>
              <Table.Th w={90}>{title}</Table.Th>
              <Table.Td>
                <CopyValue value={text} what={what} />
                {title === 'Type' && type === 'ALIAS' && (
                  <Note>Called ANAME by some providers</Note>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

export function ZoneLines({ lines }: { lines: string[] }) {
  if (lines.length === 0) return null
  return (
    <Disclosure label="Show as zone file" openLabel="Hide the zone file" my="xs">
      <CopyBlock text={lines.join('\n')} what="the zone file" />
    </Disclosure>
  )
}

export function Step({ children, title }: { title: string; children: ReactNode }) {
  return (
    <Paper
      withBorder
      p="1rem 1.1rem 1.1rem"
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))"
    >
      <Section level={4} size="h6" title={title}>
        <Stack gap="sm">{children}</Stack>
      </Section>
    </Paper>
  )
}

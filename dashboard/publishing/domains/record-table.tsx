// A DNS record to create, in the fields of DNS providers, each with a copy button, and in the formats of tools.
import { Anchor, Collapse, Stack, Table, Tabs, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CopyBlock, CopyValue } from '../../components/copy.tsx'
import type { Domain } from './domain-queries.ts'

type Forms = Domain['record']['forms']

const titles: Record<Forms[number]['tool'], string> = {
  'zone-file': 'Zone file',
  nsupdate: 'nsupdate',
  'terraform-route53': 'Terraform, Route 53',
  'terraform-cloudflare': 'Terraform, Cloudflare',
  dig: 'dig',
}

export interface ShownRecord {
  type: string
  /** Relative to the zone, as DNS providers expect it. */
  name: string
  value: string
  ttlSeconds: number
}

export function RecordTable({ record }: { record: ShownRecord }) {
  const { name, ttlSeconds, type, value } = record
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th w={90}>Type</Table.Th>
            <Table.Td>
              <CopyValue value={type} what="the type" />
              {type === 'ALIAS' && (
                <Text size="sm" c="dimmed">
                  Called ANAME by some providers
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Td>
              <CopyValue value={name} what="the name" />
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th>Value</Table.Th>
            <Table.Td>
              <CopyValue value={value} what="the value" />
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th>TTL</Table.Th>
            <Table.Td>
              <CopyValue value={String(ttlSeconds)} what="the TTL" />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** The record as a zone file, and for nsupdate, Terraform and dig. */
export function RecordForms({ forms }: { forms: Forms }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  if (forms.length === 0) return null
  return (
    <Stack gap="xs">
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="left"
        w="fit-content"
        onClick={toggle}
        aria-expanded={isOpen}
      >
        {isOpen ? 'Hide' : 'Show'} as zone file, nsupdate, Terraform, dig
      </Anchor>
      <Collapse expanded={isOpen}>
        <Tabs defaultValue={forms[0]?.tool ?? null} variant="outline" keepMounted={false}>
          <Tabs.List>
            {forms.map(({ tool }) => (
              <Tabs.Tab key={tool} value={tool}>
                {titles[tool]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {forms.map(({ text, tool }) => (
            <Tabs.Panel key={tool} value={tool} pt="xs">
              <CopyBlock text={text} what={titles[tool]} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Collapse>
    </Stack>
  )
}

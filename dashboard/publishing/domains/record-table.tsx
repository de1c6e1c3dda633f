// A DNS record to create: the fields with copy buttons, and the formats of tools.
import { Table, Tabs, Text } from '@mantine/core'
import { CopyBlock, CopyValue } from '../../components/copy.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import type { Domain } from './domain-queries.ts'

type Forms = Domain['record']['forms']

const titles: Record<Forms[number]['tool'], string> = {
  'zone-file': 'Zone file',
  nsupdate: 'nsupdate',
  'terraform-route53': 'Terraform, Route 53',
  'terraform-cloudflare': 'Terraform, Cloudflare',
  dig: 'dig',
}

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
                  <Text size="sm" c="dimmed">
                    Called ANAME by some providers
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** The record as a zone file, and for nsupdate, Terraform and dig. */
export function RecordForms({ forms }: { forms: Forms }) {
  if (forms.length === 0) return null
  const tools = 'as zone file, nsupdate, Terraform, dig'
  return (
    <Disclosure label={`Show ${tools}`} openLabel={`Hide ${tools}`} my="xs">
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
    </Disclosure>
  )
}

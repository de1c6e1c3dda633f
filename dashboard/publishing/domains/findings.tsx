// What the doctor found: the first is the headline, all are shown, each unfolds to what was found, what is
// expected, and how to mend it.
import { Accordion, Group, Stack, Text } from '@mantine/core'
import type { LastCheck } from '../../../server/publishing/domains/checks/check-schema.ts'
import { CheckIcon, CrossIcon, RefreshIcon, WarningIcon } from '../../components/icons.tsx'
import { atClock } from '../../platform/times.ts'
import { Difference } from './difference.tsx'
import classes from './findings.module.css'
import { RecordForms } from './record-table.tsx'

type Finding = LastCheck['findings'][number]

const looks = {
  blocks: { Icon: CrossIcon, title: 'Blocks' },
  waits: { Icon: RefreshIcon, title: 'Takes its time' },
  warns: { Icon: WarningIcon, title: 'Warning' },
  fine: { Icon: CheckIcon, title: 'Fine' },
} as const

export function Findings({ findings }: { findings: Finding[] }) {
  const [first] = findings
  return (
    <Accordion
      // Another headline is unfolded in its turn.
      key={first && `${first.code} ${first.title}`}
      multiple
      variant="contained"
      defaultValue={first && first.severity !== 'fine' ? [placeOf(first, 0)] : []}
      order={4}
      className={classes.findings ?? ''}
    >
      {findings.map((finding, i) => (
        <OneFinding key={placeOf(finding, i)} finding={finding} value={placeOf(finding, i)} />
      ))}
    </Accordion>
  )
}

function OneFinding({ finding, value }: { finding: Finding; value: string }) {
  const { Icon, title } = looks[finding.severity]
  return (
    <Accordion.Item value={value} data-severity={finding.severity}>
      <Accordion.Control>
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <span className={classes.sign} role="img" aria-label={title} title={title}>
            <Icon size={16} />
          </span>
          <Text component="span" fw={600}>
            {finding.title}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          <Text>{finding.detail}</Text>
          <Difference finding={finding} />
          {finding.fix && (
            <div className={classes.fix}>
              <Text fw={600} size="sm">
                What to do
              </Text>
              <Text>{finding.fix.text}</Text>
              <RecordForms forms={finding.fix.forms} />
            </div>
          )}
          {finding.until && (
            <Text size="sm" c="dimmed">
              Until about {atClock(finding.until)}.
            </Text>
          )}
          <Text size="xs" c="dimmed">
            {finding.code}
          </Text>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}

/** Becomes a part of ids, which have no spaces. */
function placeOf({ code }: Finding, index: number): string {
  return `${code}-${index}`
}

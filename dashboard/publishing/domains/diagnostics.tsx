// What the doctor found: the first is the headline, all are shown, each unfolds to what was found, what is
// expected, and how to mend it.
import { Accordion, Group, Stack, Text } from '@mantine/core'
import type { LastCheck } from '../../../server/publishing/domains/checks/check-schema.ts'
import { CheckIcon, CrossIcon, RefreshIcon, WarningIcon } from '../../components/icons.tsx'
import { atClock } from '../../platform/times.ts'
import classes from './diagnostics.module.css'
import { Difference } from './difference.tsx'
import { RecordForms } from './record-table.tsx'

type Diagnostic = LastCheck['diagnostics'][number]

const looks = {
  blocks: { Icon: CrossIcon, title: 'Blocks' },
  waits: { Icon: RefreshIcon, title: 'Takes its time' },
  warns: { Icon: WarningIcon, title: 'Warning' },
  fine: { Icon: CheckIcon, title: 'Fine' },
} as const

export function Diagnostics({ diagnostics }: { diagnostics: Diagnostic[] }) {
  const [first] = diagnostics
  return (
    <Accordion
      // Another headline is unfolded in its turn.
      key={first && `${first.code} ${first.title}`}
      multiple
      variant="contained"
      defaultValue={first && first.severity !== 'fine' ? [placeOf(first, 0)] : []}
      order={4}
      className={classes.diagnostics ?? ''}
    >
      {diagnostics.map((diagnostic, i) => (
        <DiagnosticItem
          key={placeOf(diagnostic, i)}
          diagnostic={diagnostic}
          value={placeOf(diagnostic, i)}
        />
      ))}
    </Accordion>
  )
}

function DiagnosticItem({ diagnostic, value }: { diagnostic: Diagnostic; value: string }) {
  const { Icon, title } = looks[diagnostic.severity]
  return (
    <Accordion.Item value={value} data-severity={diagnostic.severity}>
      <Accordion.Control>
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <span className={classes.sign} role="img" aria-label={title} title={title}>
            <Icon size={16} />
          </span>
          <Text component="span" fw={600}>
            {diagnostic.title}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          <Text>{diagnostic.detail}</Text>
          <Difference diagnostic={diagnostic} />
          {diagnostic.fix && (
            <div className={classes.fix}>
              <Text fw={600} size="sm">
                What to do
              </Text>
              <Text>{diagnostic.fix.text}</Text>
              <RecordForms forms={diagnostic.fix.forms} />
            </div>
          )}
          {diagnostic.until && (
            <Text size="sm" c="dimmed">
              Until about {atClock(diagnostic.until)}.
            </Text>
          )}
          <Text size="xs" c="dimmed">
            {diagnostic.code}
          </Text>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}

/** Becomes a part of ids, which have no spaces. */
function placeOf({ code }: Diagnostic, index: number): string {
  return `${code}-${index}`
}

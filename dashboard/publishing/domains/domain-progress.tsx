// The steps of a domain until it is live. They move with the live state.
import { Loader, Text, VisuallyHidden } from '@mantine/core'
import { CheckIcon, CrossIcon } from '../../components/icons.tsx'
import classes from './domain-progress.module.css'
import type { Domain } from './domain-queries.ts'
import { type StepState, stepsOf } from './domain-status.ts'

const stateTitles: Record<StepState, string> = {
  done: 'Done',
  running: 'Running',
  action: 'To do',
  failed: 'Failed',
  waiting: 'Pending',
}

export function DomainProgress({ domain }: { domain: Domain }) {
  const steps = stepsOf(domain)
  return (
    <ol className={classes.steps} aria-label="Progress">
      {steps.map(({ note, state, title }, i) => (
        <li
          key={title}
          className={classes.step}
          data-state={state}
          data-reached={steps[i - 1]?.state === 'done'}
        >
          <span className={classes.mark} aria-hidden="true">
            {state === 'done' && <CheckIcon size={16} />}
            {state === 'failed' && <CrossIcon size={15} />}
            {state === 'running' && <Loader size={28} />}
            {state === 'action' && (
              <Text component="span" size="sm" fw={700} lh={1}>
                {i + 1}
              </Text>
            )}
          </span>
          <Text size="sm" fw={600} lh={1.3}>
            {title}
          </Text>
          <Text size="xs" lh={1.3} className={classes.note ?? ''}>
            <VisuallyHidden>{stateTitles[state]}: </VisuallyHidden>
            {note}
          </Text>
        </li>
      ))}
    </ol>
  )
}

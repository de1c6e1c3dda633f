// Names and their values, in two columns. A fact without a value is left out.
import type { ReactNode } from 'react'
import classes from './facts.module.css'

export type Fact = [name: string, value: ReactNode]

export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

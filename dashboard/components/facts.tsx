// Names and their values, in two columns. A fact without a value is left out.
import type { ReactNode } from 'react'
import classes from './facts.module.css'

export type Fact = [name: string, value: ReactNode]

/** `isRuled`: with a line between them, for lists that stand below each other. */
export function Facts({ facts, isRuled = false }: { facts: Fact[]; isRuled?: boolean }) {
  return (
    <dl className={classes.facts} data-ruled={isRuled}>
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

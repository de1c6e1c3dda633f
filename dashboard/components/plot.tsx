// Lines over time. The pointer or the arrow keys choose a time; screen readers announce its values as a slider's. The values
// are also a table, on request.
import { Box, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react'
import classes from './records.module.css'
import { ScrolledTable } from './records.tsx'
import { Note } from './values.tsx'

interface Line {
  name: string
  values: (number | null)[]
  look: keyof typeof looks
}

/** Color and dashes, so that lines differ by more than color. */
const looks = {
  usual: { stroke: 'light-dark(#1c6547, #6fb08a)' },
  second: { stroke: 'light-dark(#9a6200, #ffcb3d)', strokeDasharray: '6 4' },
  third: { stroke: 'light-dark(#2b5fb4, #8ab4f8)', strokeDasharray: '1.5 4' },
  bad: { stroke: 'light-dark(#b3261e, #ff8a80)' },
  earlier: { stroke: 'light-dark(#767d78, #8b948d)', strokeDasharray: '6 4' },
}
const pen = {
  fill: 'none',
  strokeWidth: 1.8,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

const height = 190
const edge = { top: 10, right: 12, bottom: 24, left: 58 }

interface PlotProps {
  title: string
  /** When each time began, RFC 3339. */
  times: string[]
  formatTime: (time: string) => string
  /** On the axis, if shorter. */
  formatMark?: (time: string) => string
  /** The indices of times with a label on the axis. */
  marks: number[]
  /** Shown without values. */
  empty: string
  lines: Line[]
  /** A value with its unit. */
  format: (value: number) => string
}

export function Plot({
  empty,
  format,
  formatTime,
  formatMark = formatTime,
  lines,
  marks,
  times,
  title,
}: PlotProps) {
  const { ref, width } = useElementSize()
  const [chosen, setChosen] = useState<number>()
  const heading = useId()
  const all = lines.flatMap(({ values }) => values.filter((value) => value !== null))
  const steps = stepsTo(Math.max(0, ...all), all.every(Number.isInteger))
  const top = steps.at(-1) ?? 1
  const inner = {
    width: Math.max(0, width - edge.left - edge.right),
    height: height - edge.top - edge.bottom,
  }
  const last = Math.max(0, times.length - 1)
  const x = (index: number): number => edge.left + (last === 0 ? 0 : (index / last) * inner.width)
  const y = (value: number): number => edge.top + inner.height * (1 - value / top)
  const index = chosen === undefined ? undefined : Math.min(chosen, last)

  const timeAt = (at: number): string => formatTime(times[at] ?? '')
  const valueAt = (values: Line['values'], at: number): string => {
    const value = values[at] ?? null
    return value === null ? 'none' : format(value)
  }
  const textAt = (at: number): string => {
    const values = lines.map((line) => `${line.name} ${valueAt(line.values, at)}`)
    return `${timeAt(at)}: ${values.join(', ')}`
  }

  function point(event: PointerEvent<HTMLElement>): void {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - edge.left
    const share = inner.width === 0 ? 0 : at / inner.width
    setChosen(Math.min(last, Math.max(0, Math.round(share * last))))
  }

  function press(event: KeyboardEvent): void {
    const now = index ?? last
    const to = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      PageUp: now - 10,
      PageDown: now + 10,
      Home: 0,
      End: last,
    }[event.key]
    if (event.key === 'Escape') setChosen(undefined)
    if (to === undefined) return
    event.preventDefault()
    // Otherwise the pager of a list would react.
    event.stopPropagation()
    setChosen(Math.min(last, Math.max(0, to)))
  }

  function dotOf(values: Line['values'], at: number, radius: number, look: Line['look']) {
    const value = values[at] ?? null
    const place = { cx: x(at), cy: y(value ?? 0), r: radius }
    const style = { fill: 'var(--surface)', stroke: looks[look].stroke, strokeWidth: 2 }
    return value !== null && <circle key={at} {...place} style={style} />
  }

  /** Under a line without gaps that has none beside it but that of an earlier period. */
  function areaOf(): string | undefined {
    const [line, ...others] = lines
    if (!line || others.some(({ look }) => look !== 'earlier')) return
    if (line.values.length < 2 || line.values.includes(null)) return
    return `${lineThrough(line.values, x, y)}L${x(last).toFixed(1)} ${y(0)}L${x(0)} ${y(0)}Z`
  }

  const area = areaOf()
  const announced = index ?? last
  return (
    <Box component="figure" miw={0} aria-labelledby={heading}>
      <Group justify="space-between" gap="0.25rem 1rem" mb="0.25rem">
        <Title order={3} size="h6" id={heading}>
          {title}
        </Title>
        {lines.length > 1 && (
          <Group gap="0 1rem" c="dimmed" fz="0.8rem">
            {lines.map(({ look, name }) => (
              <span key={name}>
                <Sample look={look} /> {name}
              </span>
            ))}
          </Group>
        )}
      </Group>
      <Box
        ref={ref}
        pos="relative"
        h={height}
        bdrs="sm"
        style={{ cursor: 'crosshair', touchAction: 'pan-y' }}
        role="slider"
        tabIndex={0}
        aria-labelledby={heading}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={announced}
        aria-valuetext={all.length === 0 ? empty : textAt(announced)}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setChosen(last)}
        onKeyDown={press}
      >
        {width > 0 && (
          <svg
            width={width}
            height={height}
            fill="var(--mantine-color-dimmed)"
            style={{
              position: 'absolute',
              fontSize: '0.72rem',
              fontVariantNumeric: 'tabular-nums',
            }}
            aria-hidden="true"
          >
            {steps.map((step) => (
              <g key={step}>
                <line
                  x1={edge.left}
                  x2={width - edge.right}
                  y1={y(step)}
                  y2={y(step)}
                  stroke="var(--line)"
                />
                <text x={edge.left - 8} y={y(step)} dy="0.32em" textAnchor="end">
                  {format(step)}
                </text>
              </g>
            ))}
            {marks.map((mark) => (
              <text
                key={mark}
                x={x(mark)}
                y={height - 6}
                textAnchor={x(mark) > width - 2 * edge.right ? 'end' : 'middle'}
              >
                {formatMark(times[mark] ?? '')}
              </text>
            ))}
            {area !== undefined && <path d={area} fill={looks.usual.stroke} fillOpacity={0.08} />}
            {lines.map(({ look, name, values }) => (
              <g key={name}>
                <path d={lineThrough(values, x, y)} {...pen} style={looks[look]} />
                {findIsolated(values).map((i) => dotOf(values, i, 2, look))}
              </g>
            ))}
            {index !== undefined && (
              <>
                <line
                  x1={x(index)}
                  x2={x(index)}
                  y1={edge.top}
                  y2={height - edge.bottom}
                  stroke="var(--mantine-color-dimmed)"
                />
                {lines.map(({ look, name, values }) => (
                  <g key={name}>{dotOf(values, index, 4, look)}</g>
                ))}
              </>
            )}
          </svg>
        )}
        {all.length === 0 && (
          <Text pos="absolute" inset="35% 0 auto 3.5rem" c="dimmed" ta="center">
            {empty}
          </Text>
        )}
        {index !== undefined && all.length > 0 && (
          <Paper
            display="grid"
            fz="0.8rem"
            style={{
              zIndex: 2,
              fontVariantNumeric: 'tabular-nums',
              whiteSpace: 'nowrap',
              pointerEvents: 'none',
            }}
            p="0.4rem 0.6rem"
            radius="sm"
            shadow="sm"
            withBorder
            aria-hidden="true"
            pos="absolute"
            top="0.4rem"
            {...(x(index) > width / 2 ? { right: width - x(index) + 10 } : { left: x(index) + 10 })}
          >
            <strong>{timeAt(index)}</strong>
            {lines.map(({ look, name, values }) => (
              <span key={name}>
                <Sample look={look} /> {name}: {valueAt(values, index)}
              </span>
            ))}
          </Paper>
        )}
      </Box>
    </Box>
  )
}

function Sample({ look }: { look: Line['look'] }) {
  return (
    <svg width="22" height="8" aria-hidden="true">
      <path d="M2 4L20 4" {...pen} style={looks[look]} />
    </svg>
  )
}

/** The values of plots as a table, on request. */
export function PlotValues({
  children,
  empty,
  head,
  rows,
  title,
}: {
  /** Of the table, for screen readers. */
  title: string
  /** What the plots show, beside the button. */
  children: string
  head: string[]
  rows: string[][]
  /** Shown without rows. */
  empty: string
}) {
  const [isShown, setShown] = useState(false)
  return (
    <Stack>
      <Group justify="space-between">
        <Note>{children} Use the pointer or the arrow keys to read values.</Note>
        <Button size="compact-sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide table' : 'Show as table'}
        </Button>
      </Group>
      {isShown &&
        (rows.length === 0 ? (
          <Text c="dimmed">{empty}</Text>
        ) : (
          <ScrolledTable
            mah="24rem"
            className={classes.values ?? ''}
            aria-label={title}
            stickyHeader
            verticalSpacing={4}
            data={{ head, body: rows }}
          />
        ))}
    </Stack>
  )
}

/** About four round steps from 0 to at least `max`; whole numbers if `isWhole`: `[0, 50, 100, 150]`. */
function stepsTo(max: number, isWhole: boolean): number[] {
  if (max <= 0) return [0, 1]
  const rough = isWhole ? Math.max(1, max / 4) : max / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(max / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

/** Indices of values without a neighbor, which no line reaches. */
function findIsolated(values: (number | null)[]): number[] {
  const isThere = (i: number): boolean => typeof values[i] === 'number'
  return values.flatMap((_, i) => (isThere(i) && !isThere(i - 1) && !isThere(i + 1) ? [i] : []))
}

/** The `d` of a path through the values, with a gap where there is none. */
function lineThrough(
  values: (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, i) => {
      if (value === null) return ''
      const command = typeof values[i - 1] === 'number' ? 'L' : 'M'
      return `${command}${x(i).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join('')
}

/** Indices of the minutes with a label: about six, at whole hours or parts of them. */
export function findLabels(minutes: string[]): number[] {
  const every = minutes.length > 240 ? 60 : minutes.length > 90 ? 30 : 10
  return minutes.flatMap((minute, i) => (new Date(minute).getMinutes() % every === 0 ? [i] : []))
}

// Alert rules and dashboard: accepted by promtool, about metrics that exist, each alert explained in the runbook.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { eventually } from '../eventually.ts'
import { serveForTest } from '../faults/processes.ts'
import { placeForTest } from '../place-for-test.ts'

interface Rule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}

const root = join(import.meta.dirname, '../..')
const rulesFile = join(root, 'ops/prometheus-alerts.yaml')
const { groups } = load(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(readFileSync(join(root, 'ops/grafana-dashboard.json'), 'utf8'))
const queries: string[] = dashboard.panels.flatMap((panel: { targets: { expr: string }[] }) =>
  panel.targets.map(({ expr }) => expr),
)

/** Unpacked by test/run, or installed. */
const unpacked = join(root, '.cache/promtool/usr/bin/promtool')
const promtool = existsSync(unpacked) ? unpacked : 'promtool'

function runPromtool(...words: string[]): void {
  const { error, status, stderr, stdout } = spawnSync(promtool, words, { encoding: 'utf8' })
  expect({ error, status }, stdout + stderr).toEqual({ error: undefined, status: 0 })
}

/** The names of metrics in an expression, as `/metrics` declares them. */
function metricsIn(expression: string): string[] {
  const names = expression.match(/\b(?:animal_store|process|nodejs)_\w+/g) ?? []
  return names.map((name) => name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'))
}

it('has alert rules that promtool accepts', () => {
  runPromtool('check', 'rules', rulesFile)
})

it('has alerts that fire and stop as promtool simulates', () => {
  runPromtool('test', 'rules', join(import.meta.dirname, 'prometheus-alerts.yaml'))
})

it('has a time, a severity, a summary and a section of the runbook for each alert', () => {
  const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8')
  const sections = runbook.split(/^## /m).slice(1)
  expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ alert }) => alert))
  for (const [i, { alert, annotations, for: time, labels }] of rules.entries()) {
    expect(time, alert).toMatch(/^\d+[mh]$/)
    expect(['warning', 'critical']).toContain(labels.severity)
    expect(annotations.summary, alert).not.toBe('')
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
    expect(sections[i]).toMatch(
      /\n\n\S[\s\S]*\n\nWhat to look at:\n\n- [\s\S]*\n\nWhat to do:\n\n- /,
    )
  }
})

describe.each(cases(engines))('on %s', (engine) => {
  it.each(['1', '2'])(
    '/metrics has every metric of alerts and dashboard (WORKERS=%s)',
    async (workers) => {
      const database = await placeForTest(engine)
      const { askServer } = await serveForTest(database, {
        WORKERS: workers,
        OBJECT_STORAGE_URL: 'http://key:secret@127.0.0.1:9/bucket',
      })
      const readValue = (text: string, name: string): number =>
        Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
      // The certificates of the program's own hosts have been issued.
      const text = await eventually(
        async () => (await askServer('/metrics')).text,
        (seen) => readValue(seen, 'animal_store_certificate_expiry_seconds') > 80 * 86_400,
      )
      const declared = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name)
      const used = [...rules.map(({ expr }) => expr), ...queries].flatMap(metricsIn)
      expect(used.length).toBeGreaterThan(30)
      expect([...new Set(used)].filter((name) => !declared.includes(name))).toEqual([])
      expect(readValue(text, 'animal_store_free_disk_bytes')).toBeGreaterThan(1024)
      expect(readValue(text, 'animal_store_max_connections')).toBeGreaterThan(100)
    },
  )
})

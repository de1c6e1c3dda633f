// What the doctor says in generated worlds: it is always clear who has to act, a fix that is carried out harms nothing and
// helps, and no order is placed while something that decides about it is not known.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caaSetIn } from '#dns/caa/find-caa.ts'
import { isWithin } from '#dns/messages/dns-name.ts'
import { type Diagnosis, type Diagnostic, findBlocker, judge } from '#doctor/rules/judge.ts'
import { runs } from '../cases.ts'
import {
  answeringServers,
  answersAt,
  applyFix,
  evidenceIn,
  findRecord,
  generatedWorld,
  type World,
} from './generated-world.ts'

async function inWorlds(count: number, check: (world: World, judged: Diagnosis) => unknown) {
  const property = fc.asyncProperty(generatedWorld, async (world) => {
    await check(world, judge(await evidenceIn(world)))
  })
  await fc.assert(property, { numRuns: runs(count) })
}

/** Those that name records to add or to delete. */
const fixesOf = ({ diagnostics }: Diagnosis) =>
  diagnostics.flatMap(({ code, fix }) =>
    fix && fix.add.length + fix.remove.length > 0 ? [{ code, fix }] : [],
  )

const states = ['unknown', 'missing', 'wrong', 'partial', 'right']
const rankOf = ({ reading }: Diagnosis) => states.indexOf(reading.state)
/** Whether some name servers are late, so that a change does not reach all. */
const isUneven = ({ servers }: World) => servers.some(({ isLate }) => isLate)

describe('a fix', () => {
  it('deletes only what is there, and no CAA record', async () => {
    await inWorlds(3000, (world, judged) => {
      const answering = answeringServers(world)
      const seen = answering.every(({ isLate }) => isLate) ? world.before : world.records
      if (judged.reading.dname)
        for (const { fix } of judged.diagnostics)
          expect(fix?.text ?? '').not.toMatch(/(Change|[Dd]elete)[^.]* CNAME/)
      for (const { code, fix } of fixesOf(judged)) {
        for (const record of fix.remove) {
          const found = findRecord(world, record, seen)
          expect(found, `${code} deletes ${record.type} ${record.value}`).toBeDefined()
          expect(record.type).not.toBe('CAA')
          // What looks like addresses can be one record at the provider.
          if (found?.type === 'ALIAS' && !isUneven(world))
            expect(fix.text).toMatch(/\b(ALIAS|flatten)/)
        }
      }
    })
  })

  it('makes the next check better, or leaves it as it is', async () => {
    await inWorlds(3000, async (world, judged) => {
      for (const { code, fix } of fixesOf(judged)) {
        const after = judge(await evidenceIn(applyFix(world, fix)))
        const said = `${code}: ${judged.reading.state}, then ${after.reading.state}`
        // What a late name server still has can differ from what the others have now. Where only late ones answered, its
        // alias is no longer that of the zone, so that its chain is not followed.
        const isLate = answeringServers(world).every((server) => server.isLate)
        const reached = isLate ? 'wrong' : 'partial'
        const least = isUneven(world)
          ? Math.min(rankOf(judged), states.indexOf(reached))
          : rankOf(judged)
        expect(rankOf(after), said).toBeGreaterThanOrEqual(least)
      }
    })
  })

  it('changes nothing at other names', async () => {
    await inWorlds(3000, (world, judged) => {
      const { apex, host } = world
      const names = [apex, ...['www', 'mail', 'shop', 'team'].map((label) => `${label}.${apex}`)]
      for (const { fix } of fixesOf(judged)) {
        const next = applyFix(world, fix)
        for (const name of names.filter((name) => name !== host))
          expect(answersAt(next, name)).toEqual(answersAt(world, name))
      }
    })
  })

  it('and the next, and so on, leads to us', async () => {
    await inWorlds(1500, async (world, judged) => {
      let [now, last] = [{ ...world, before: world.records }, judged]
      for (let fixes = 0; fixes < 8; fixes++) {
        last = judge(await evidenceIn(now))
        const { records } = now
        const all = last.diagnostics.filter(isAboutRecord).flatMap(({ fix }) => fix ?? [])
        const results = all.map((fix) => applyFix(now, fix).records)
        const next = results.find((result) => JSON.stringify(result) !== JSON.stringify(records))
        if (!next) break
        now = { ...now, records: next, before: next }
      }
      const codes = last.diagnostics.map(({ code }) => code)
      const isInOtherZone = !isWithin(last.reading.dname?.target ?? world.apex, world.apex)
      if (answeringServers(world).length === 0 || isInOtherZone) return
      // A proxy has no record that is wrong.
      if (!codes.includes('D21')) expect(last.reading.state, codes.join()).toBe('right')
    })
  })
})

/** One about where the host points; those of ownership and CAA follow. */
function isAboutRecord({ code, severity }: Diagnostic): boolean {
  return severity === 'blocks' && code > 'D' && code < 'D23'
}

describe('who has to act', () => {
  it('is said whatever is unknown', async () => {
    await inWorlds(3000, (_, { diagnostics, result }) => {
      if (result !== 'unknown') return
      // What else is wrong may come first.
      expect(diagnostics.map(({ detail, fix }) => `${detail} ${fix?.text}`).join()).toMatch(
        /DNS provider|registrar|[Oo]perator|we will check again|You don't need to do anything/,
      )
    })
  })

  it('is said with everything that blocks', async () => {
    await inWorlds(3000, (_, { diagnostics }) => {
      for (const { code, detail, fix, severity } of diagnostics) {
        if (severity !== 'blocks' || (fix?.text ?? '') !== '') continue
        expect(`${code} ${detail}`).toMatch(/operator|we will check again|You don't need/)
      }
    })
  })
})

it('no order is placed while what decides about it is not known', async () => {
  await inWorlds(3000, (world, judged) => {
    if (findBlocker(judged) !== undefined) return
    const { caa, pointers, state } = judged.reading
    expect(state).toBe('right')
    expect(pointers).not.toEqual([])
    expect(caaSetIn(caa)).not.toBe('unknown')
    expect(world.dnssec).toMatch(/fine|unsigned|unknown/)
    expect(world.platformCaa === 'forbids' && caaSetIn(caa) !== 'none').toBe(false)
  })
})
